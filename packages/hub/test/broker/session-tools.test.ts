import { ownToolsMax, type ToolDefinition, viewBytesMax, viewNamesLengthMax } from '@callboard/protocol'
import { describe, expect, it } from 'vitest'
import { ownCharactersMax } from '../../src/broker/limits.js'
import { inspectDefinition } from '../../src/definition-check.js'
import type { BrokerOptions } from '../../src/index.js'
import { parsed, type ScenarioHub, type ScenarioWorker, scenario, tool, tools, type WorkerSetup } from './scenario.js'

const unlisted = (name: string) => tool(name, { _meta: { 'callboard/listed': false } })
const ofSite = (name: string, site: string, more: object = {}): ToolDefinition =>
  tool(name, { description: `of ${site}`, ...more })

/** Two sessions of ada, one of bob, and a worker with a tool for all and one that is not listed. */
function forum({ inspect, ...setup }: WorkerSetup & Partial<Pick<BrokerOptions, 'inspect'>> = {}) {
  const hub = scenario(inspect === undefined ? {} : { inspect })
  const worker = hub.worker('forum', { definitions: tools('search', unlisted('post')), ...setup })
  const [desk, phone] = ['desk', 'phone'].map((name) => hub.agent(name, { principal: 'agent:ada' }))
  const bob = hub.agent('bob')
  const quiet = () => {
    hub.advance(10)
    for (const each of hub.agents) {
      each.heard = []
      each.heardAsModern = []
    }
  }
  for (const agent of [desk!, phone!, bob]) {
    agent.call('search')
    worker.respond(worker.request())
  }
  quiet()
  const descriptions = (of: typeof bob, scope: 'session' | 'principal') =>
    Object.fromEntries(hub.broker.list('tool', of.identity, scope).map((each) => [each['name'], each['description']]))
  return { hub, worker, desk: desk!, phone: phone!, bob, quiet, descriptions }
}

/** A call that nobody takes is settled as unknown. */
const isUnknown = (hub: ScenarioHub, agent: ReturnType<typeof forum>['bob'], name: string) => {
  const call = agent.call(name)
  hub.advance(0)
  return call.outcome === 'unknown'
}

describe('a tool that is not listed unless shown [CB-26]', () => {
  it('is in the lists of those sessions whose view shows it, without its mark', () => {
    const { hub, worker, desk, phone, bob } = forum()
    expect([desk.tools, bob.modernTools]).toEqual([['search'], ['search']])
    worker.show('session of desk', { shownTools: ['post'] })
    expect([desk.tools, phone.tools, bob.tools]).toEqual([['search', 'post'], ['search'], ['search']])
    expect([phone.modernTools, bob.modernTools]).toEqual([['search', 'post'], ['search']])
    expect(hub.broker.list('tool', desk.identity, 'session')[1]).toEqual({ ...tool('post') })
  })

  it('stays hidden where the view hides it as well', () => {
    const { worker, desk } = forum()
    worker.show('session of desk', { shownTools: ['post'], hiddenTools: ['post'] })
    expect([desk.tools, desk.modernTools]).toEqual([['search'], ['search']])
  })

  it('reaches its worker when it is called where it is not listed', () => {
    const { worker, bob } = forum()
    bob.call('post')
    expect(worker.request().name).toBe('post')
  })

  it('is told of to those only whose lists have it', () => {
    const { hub, worker, desk, phone, bob, quiet } = forum()
    worker.show('session of desk', { shownTools: ['post'] })
    hub.advance(10)
    expect([desk.heard, phone.heard, bob.heard]).toEqual([['tools changed'], [], []])
    expect([desk.heardAsModern, phone.heardAsModern, bob.heardAsModern]).toEqual([
      ['tools changed'],
      ['tools changed'],
      [],
    ])
    quiet()
    worker.update(tools('search', { ...unlisted('post'), description: 'another one' }))
    hub.advance(300)
    expect([desk.heard, phone.heard, phone.heardAsModern, bob.heard]).toEqual([
      ['tools changed'],
      [],
      ['tools changed'],
      [],
    ])
    quiet()
    worker.show('session of desk', { shownTools: ['post', 'search', 'nothing'] })
    hub.advance(10)
    expect([desk.heard, desk.heardAsModern]).toEqual([[], []])
  })

  it('is refused when the mark is no boolean', () => {
    const { hub, worker } = forum()
    worker.update(tools('search', tool('post', { _meta: { 'callboard/listed': 'no' } })))
    hub.advance(300)
    expect(hub.snapshot.workers[0]!.refused).toEqual([
      { name: 'post', code: 'invalid', message: '_meta["callboard/listed"] must be true or false' },
    ])
  })

  it('stays so after a restart of the hub', () => {
    const { hub } = forum()
    const next = scenario()
    next.step({ type: 'catalogue_restored', services: hub.kept.at(-1)! })
    expect(next.agent('one').tools).toEqual(['search'])
  })
})

describe('a tool of its own [CB-28]', () => {
  it('is there for one session, and for no other principal', () => {
    const { hub, worker, desk, phone, bob } = forum()
    worker.show('session of desk', { tools: [ofSite('file_bug', 'one')] })
    expect([desk.tools, phone.tools, bob.tools]).toEqual([['search', 'file_bug'], ['search'], ['search']])
    expect([phone.modernTools, bob.modernTools]).toEqual([['search', 'file_bug'], ['search']])
    expect(isUnknown(hub, bob, 'file_bug')).toBe(true)
    for (const agent of [desk, phone]) {
      const call = agent.call('file_bug')
      expect(worker.request()).toMatchObject({ name: 'file_bug', caller: { session: agent.identity.session } })
      worker.respond(hub.snapshot.calls[0]!)
      expect(call.outcome).toBe('result "done"')
    }
  })

  it('stands in the place of the one that the service has for all, listed or not', () => {
    const { worker, desk, bob, descriptions } = forum({ definitions: tools('search', unlisted('post'), 'zap') })
    worker.show('session of desk', {
      tools: [ofSite('more', 'one'), ofSite('post', 'one'), ofSite('search', 'one')],
    })
    expect(desk.tools).toEqual(['search', 'post', 'zap', 'more'])
    expect(descriptions(desk, 'session')).toEqual({ search: 'of one', post: 'of one', zap: undefined, more: 'of one' })
    expect(descriptions(bob, 'session')).toEqual({ search: undefined, zap: undefined })
  })

  it('comes behind those of its own service, before those of the next', () => {
    const { hub, worker, desk } = forum()
    hub.worker('zoo', { definitions: tools('feed') })
    hub.worker('aviary', { definitions: tools('sing') })
    worker.show('session of desk', { tools: [ofSite('file_bug', 'one')] })
    expect(desk.tools).toEqual(['sing', 'search', 'file_bug', 'feed'])
  })

  it('may be another one of the same name in another session; a modern list has the one that was there first', () => {
    const { worker, desk, phone, descriptions } = forum()
    worker.show('session of desk', { tools: [ofSite('post', 'one', { annotations: { readOnlyHint: true } })] })
    worker.show('session of phone', { tools: [ofSite('post', 'two')] })
    expect([descriptions(desk, 'session')['post'], descriptions(phone, 'session')['post']]).toEqual([
      'of one',
      'of two',
    ])
    expect(descriptions(phone, 'principal')['post']).toBe('of one')
    worker.show('session of desk', {})
    expect(descriptions(desk, 'principal')['post']).toBe('of two')
  })

  it('keeps its place in a modern list when its session says it again', () => {
    const { worker, desk, descriptions } = forum()
    worker.show('session of desk', { tools: [ofSite('post', 'one')] })
    worker.show('session of phone', { tools: [ofSite('post', 'two')] })
    worker.show('session of desk', { tools: [ofSite('post', 'one'), ofSite('more', 'one')] })
    expect(descriptions(desk, 'principal')['post']).toBe('of one')
  })

  it('rules the calls of its session: its time, its second tries, and who may use it', () => {
    const { hub, worker, desk, phone } = forum()
    const own = { annotations: { idempotentHint: true }, _meta: { 'callboard/timeoutMs': 1_000 } }
    worker.show('session of desk', { tools: [ofSite('search', 'one', own)] })
    const [short, long] = [desk.call('search'), phone.call('search')]
    expect([worker.request(), worker.request()].map(({ deadline }) => deadline - hub.now)).toEqual([1_000, 120_000])
    hub.advance(1_000)
    expect([short.outcome, long.outcome]).toEqual(['deadline_exceeded', 'open'])
    worker.takeAll()
    worker.show('session of desk', { tools: [ofSite('search', 'one', { _meta: { 'callboard/roles': ['operator'] } })] })
    expect(desk.tools).toEqual([])
    expect(isUnknown(hub, desk, 'search')).toBe(true)
  })

  it('is called again after its worker was lost when that does no harm', () => {
    const { hub, worker, desk } = forum()
    const view = { tools: [ofSite('look', 'one', { annotations: { readOnlyHint: true } })] }
    worker.show('session of desk', view)
    const call = desk.call('look')
    worker.request()
    worker.die()
    worker.takeAll()
    worker.signIn()
    expect(call.outcome).toBe('open')
    worker.respond(worker.request())
    expect(call.outcome).toBe('result "done"')
    expect(hub.snapshot.queued).toBe(0)
  })

  it('has the name that every client takes, and may be called by its own', () => {
    const hub = scenario({ namespace: 'always' })
    const [worker, desk] = [hub.worker('forum', { definitions: tools('search') }), hub.agent('desk')]
    const long = `site.${'x'.repeat(80)}`
    worker.show('session of desk', { tools: [tool('site.bug'), tool(long)] })
    const [, bug, other] = desk.tools as string[]
    expect([bug, other?.length]).toEqual(['forum_site_bug', 64])
    for (const name of [bug!, 'forum_site.bug', other!]) desk.call(name)
    expect([worker.request().name, worker.request().name]).toEqual(['site.bug', 'site.bug'])
    worker.takeAll()
  })

  it('passes the filters of an agent like any other', () => {
    const { hub, worker } = forum()
    const view = { filters: [{ only: ['search'] }], mode: 'all', searchAboveTokens: 1, pinned: [] } as const
    const narrow = hub.agent('narrow', { view })
    worker.show('session of narrow', { tools: [ofSite('file_bug', 'one')] })
    expect(narrow.tools).toEqual(['search'])
    expect(isUnknown(hub, narrow, 'file_bug')).toBe(true)
  })

  it('is told of to those whose lists changed, once', () => {
    const { hub, worker, desk, phone, bob, quiet } = forum()
    worker.show('session of desk', { tools: [ofSite('post', 'one')] })
    hub.advance(10)
    const heard = () => [desk, phone, bob].map((each) => [each.heard.length, each.heardAsModern.length])
    expect(heard()).toEqual([
      [1, 1],
      [0, 1],
      [0, 0],
    ])
    quiet()
    worker.show('session of desk', { tools: [ofSite('post', 'one')] })
    hub.advance(10)
    expect(heard().flat()).toEqual([0, 0, 0, 0, 0, 0])
    worker.show('session of desk', { tools: [ofSite('post', 'two')] })
    hub.advance(10)
    expect(heard()).toEqual([
      [1, 1],
      [0, 1],
      [0, 0],
    ])
    quiet()
    desk.leave()
    hub.advance(10)
    expect([phone.heard, phone.heardAsModern]).toEqual([[], ['tools changed']])
    expect(phone.modernTools).toEqual(['search'])
  })

  it('is called by workers in the name of its session, and listed for them', () => {
    const { hub, worker, desk, bob } = forum()
    const helper = hub.worker('helper', { definitions: tools('help') })
    worker.show('session of desk', { tools: [ofSite('file_bug', 'one')] })
    const parents = [desk, bob].map((agent) => {
      agent.call('help')
      return helper.request().id
    })
    const [list, call, refused] = [
      helper.call('', { method: 'tools/list', parent: parents[0]! }),
      helper.call('file_bug', { parent: parents[0]! }),
      helper.call('file_bug', { parent: parents[1]! }),
    ]
    expect((helper.result(list) as { tools: { name: string }[] }).tools.map(({ name }) => name)).toContain('file_bug')
    worker.respond(worker.request(), 'filed')
    expect(helper.result(refused)).toBe('not_found')
    expect(helper.result(call)).toBe('filed')
  })

  it('goes to the instance that gave it, whatever the affinity says', () => {
    const { hub, worker, desk } = forum({ affinity: 'session' })
    const other = hub.worker('forum', { definitions: tools('search'), affinity: 'session' })
    worker.show('session of desk', { tools: [ofSite('mine', 'one')] })
    other.show('session of bob', { tools: [ofSite('mine', 'one')] })
    for (let count = 0; count < 3; count++) {
      desk.call('mine')
      worker.respond(worker.request())
    }
    const [bob] = hub.agents.filter(({ identity }) => identity.session === 'session of bob')
    bob!.call('mine')
    other.respond(other.request())
    bob!.call('search')
    expect(worker.request().name).toBe('search')
  })

  it('goes to another instance when the one that gave it is leaving: it answers in its own way', () => {
    const { hub, worker, desk } = forum()
    const other = hub.worker('forum')
    worker.show('session of desk', { tools: [ofSite('mine', 'one')] })
    worker.drain()
    worker.takeAll()
    desk.call('mine')
    expect(other.request().name).toBe('mine')
  })

  it('is not kept over a restart of the hub', () => {
    const { hub, worker } = forum()
    worker.show('session of desk', { tools: [ofSite('file_bug', 'one')] })
    hub.worker('other')
    hub.advance(10)
    expect(JSON.stringify(hub.kept)).not.toContain('file_bug')
  })

  it('is known to operators, with the number of sessions that have it', () => {
    const { hub, worker } = forum()
    for (const name of ['desk', 'bob']) worker.show(`session of ${name}`, { tools: [ofSite('file_bug', name)] })
    expect(hub.snapshot.services[0]).toMatchObject({ tools: ['search', 'post'], ownTools: { file_bug: 2 } })
  })
})

describe('the end of a view [CB-26]', () => {
  const view = { shownTools: ['post'], tools: [ofSite('file_bug', 'one')] }
  const whole = ['search', 'post', 'file_bug']

  it('comes with another instance when the one that sent it is gone', () => {
    const { hub, worker, desk, phone, bob, quiet } = forum()
    worker.show('session of desk', view)
    quiet()
    worker.die()
    expect(desk.tools).toEqual(whole)
    hub.worker('forum', { definitions: tools('search', unlisted('post')) })
    hub.advance(10)
    expect([desk.tools, phone.modernTools]).toEqual([['search'], ['search']])
    expect([desk.heard, phone.heard, phone.heardAsModern, bob.heard]).toEqual([
      ['tools changed'],
      [],
      ['tools changed'],
      [],
    ])
  })

  it('does not come with the same instance, nor with another one beside it, nor with another service', () => {
    const { hub, worker, desk } = forum()
    worker.show('session of desk', view)
    hub.worker('forum', { definitions: tools('search', unlisted('post')) })
    worker.die()
    hub.worker('other')
    worker.takeAll()
    worker.signIn()
    expect(desk.tools).toEqual(['search', 'post', 'file_bug', 'greet'].sort((a, b) => byService(a) - byService(b)))
  })

  it('comes with the session, and with that of its service', () => {
    const { hub, worker, desk, phone } = forum()
    worker.show('session of desk', view)
    desk.leave()
    expect(phone.modernTools).toEqual(['search'])
    worker.show('session of phone', view)
    worker.die()
    hub.step({ type: 'forget', service: 'forum' })
    expect(phone.tools).toEqual([])
    hub.worker('forum', { definitions: tools('search') })
    expect(phone.tools).toEqual(['search'])
  })
})

/** The forum's come before the other's. */
const byService = (name: string): number => (name === 'greet' ? 1 : 0)

describe('views that are refused', () => {
  const dropped = (hub: ScenarioHub) => hub.counter('frames_dropped.invalid_update')
  const isWithoutEffect = (view: object, more?: (worker: ScenarioWorker) => void) => {
    const { hub, worker, desk } = forum()
    worker.show('session of desk', { tools: [tool('before')] })
    worker.show('session of desk', view)
    more?.(worker)
    expect([desk.tools, dropped(hub)]).toEqual([['search', 'before'], 1])
  }

  it('leave the former one in force: what is no view, has too many tools or names, or too many bytes [CB-26]', () => {
    isWithoutEffect({ tools: 'all' })
    isWithoutEffect({ shownTools: [1] })
    isWithoutEffect({ shownTools: { length: 0 } })
    isWithoutEffect({ tools: Array.from({ length: ownToolsMax + 1 }, (_, index) => tool(`t${index}`)) })
    isWithoutEffect({ shownTools: ['x'.repeat(viewNamesLengthMax), 'y'] })
    isWithoutEffect({ tools: [], more: 'x'.repeat(viewBytesMax) })
    isWithoutEffect(JSON.parse(`{"tools":[{"name":"deep","a":${'['.repeat(200)}${']'.repeat(200)}}]}`))
  })

  it('take nothing from sessions that are over [CB-26]', () => {
    const { hub, worker } = forum()
    hub.advance(30_000)
    worker.show('no session', { tools: [tool('x')] })
    expect([dropped(hub), hub.snapshot.services[0]!.ownTools]).toEqual([1, {}])
  })

  it('say nothing of what another service has [CB-28]', () => {
    const { hub, desk } = forum()
    const forger = hub.worker('forger', { definitions: tools('forge') })
    forger.show('session of desk', {
      hiddenTools: ['search'],
      shownTools: ['post'],
      tools: [tool('search'), tool('post')],
    })
    expect(desk.tools).toEqual(['forge', 'search'])
    expect(hub.counter('own_tools_dropped.name_taken')).toBe(2)
  })

  it('give way to whoever has a name for everybody, also later [CB-28]', () => {
    const { hub, worker, desk } = forum()
    worker.show('session of desk', { tools: [ofSite('feed', 'one')] })
    const zoo = hub.worker('zoo', { definitions: tools('feed') })
    expect(desk.tools).toEqual(['search', 'feed'])
    desk.call('feed')
    expect([worker.received, zoo.request().name]).toEqual([[], 'feed'])
  })

  it('give way to a trusted service that gives a tool of the same name to the session [CB-28]', () => {
    const { hub, desk } = forum()
    const [plain, trusted] = [hub.worker('aviary'), hub.worker('zoo', { trusted: true, definitions: tools('feed') })]
    for (const each of [plain, trusted]) each.show('session of desk', { tools: [ofSite('sing', each.service)] })
    desk.call('sing')
    expect([plain.received, trusted.request().name]).toEqual([[], 'sing'])
    expect(desk.tools.filter((name) => name === 'sing')).toHaveLength(1)
  })

  it('lose only the tools that are wrong, each of which is counted [CB-28]', () => {
    const { hub, worker, desk } = forum({ inspect: inspectDefinition })
    worker.show('session of desk', {
      tools: [
        tool('good'),
        null,
        { name: 7 },
        tool('no name'),
        { name: 'no_schema' },
        tool('unreadable', { description: 7 }),
        tool('roles', { _meta: { 'callboard/roles': 'all' } }),
        tool('long', { description: 'x'.repeat(65_536) }),
        tool('good', { description: 'again' }),
        tool('fine'),
      ],
    })
    expect(desk.tools).toEqual(['search', 'good', 'fine'])
    expect([hub.counter('own_tools_dropped.invalid'), hub.counter('own_tools_dropped.twice')]).toEqual([7, 1])
  })

  it('have a bound of characters over all sessions, of which equal tools take a part once [CB-28] [CB-91]', () => {
    const { hub, worker } = forum()
    const large = (serial: number) => tool(`t${serial}`, { description: 'x'.repeat(65_000) })
    const perView = 15
    const views = Math.ceil(ownCharactersMax / 65_100 / perView)
    for (let view = 0; view < views; view++) {
      const own = Array.from({ length: perView }, (_, index) => large(view * perView + index))
      for (const name of ['a', 'b']) worker.show(`session ${view}${name}`, { tools: own })
    }
    const full = hub.counter('own_tools_dropped.no_room')
    expect(full).toBeGreaterThan(0)
    expect(full).toBeLessThanOrEqual(2 * perView)
    worker.show('session 0a', {})
    worker.show('session of desk', { tools: [large(10_000)] })
    expect(hub.counter('own_tools_dropped.no_room')).toBe(full + 1)
    worker.show('session 0b', {})
    worker.show('session of desk', { tools: [large(10_000)] })
    expect(hub.counter('own_tools_dropped.no_room')).toBe(full + 1)
  })
})

it('1,000 sessions with the tools of one site have one list, made once', () => {
  const { hub, worker } = forum()
  const own = Array.from({ length: 100 }, (_, index) => ofSite(`t${index}`, 'one'))
  const agents = Array.from({ length: 1_000 }, (_, index) => hub.agent(`a${index}`, { principal: 'agent:many' }))
  for (const { identity } of agents) worker.show(identity.session, { tools: own })
  hub.advance(10)
  const lists = new Set(agents.map(({ identity }) => hub.broker.list('tool', identity, 'session')))
  expect(lists.size).toBe(1)
  expect(agents.every(({ heard, heardAsModern }) => heard.length === 1 && heardAsModern.length === 1)).toBe(true)
  expect(parsed(Buffer.from(JSON.stringify([...lists][0])))).toHaveLength(101)
})
