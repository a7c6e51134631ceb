import { describe, expect, it } from 'vitest'
import type { Identity } from '../../src/index.js'
import { epoch, parsed, scenario, tool, tools } from './scenario.js'

const notes = {
  resources: [{ uri: 'note://7', name: 'seven' }],
  resourceTemplates: [{ uriTemplate: 'page://{id}', name: 'page' }],
}

describe('a heartbeat', () => {
  it("is answered at once, with the worker's numbers and the hub's time [CB-69]", () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    expect(worker.beat()).toEqual({ type: 'heartbeat_echo', serial: 1, sentAt: 42, now: hub.now })
  })

  it('of a suspect or draining worker is answered, too [CB-69]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { beats: false })
    hub.advance(10_000)
    expect(worker.beat()).toBeDefined()
    worker.drain()
    expect(worker.beat()).toBeDefined()
  })

  it('says until when the hub is needed: the latest of all counts [CB-74]', () => {
    const hub = scenario()
    const [one, other] = [hub.worker('greeter'), hub.worker('other')]
    expect(hub.snapshot.holdUntil).toBeUndefined()
    one.beat({ holdUntil: hub.now + 1_000 })
    other.beat({ holdUntil: hub.now + 9_000 })
    expect(hub.snapshot.holdUntil).toBe(hub.now + 9_000)
    other.beat()
    expect(hub.snapshot.holdUntil).toBe(hub.now + 1_000)
    one.die()
    expect(hub.snapshot.holdUntil).toBeUndefined()
  })
})

describe('messages that do not belong here', () => {
  it.each([
    ['HEARTBEAT', { type: 'heartbeat', epoch: 'hubepoch00', serial: 1, sentAt: 1, load: 0 }],
    ['DRAIN', { type: 'drain', epoch: 'hubepoch00', drainMs: 0, acknowledged: false }],
    ['BYE', { type: 'bye', epoch: 'hubepoch00' }],
  ] as const)('%s of another epoch is dropped and counted [CB-83]', (_, message) => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    worker.send(message)
    expect(worker.received).toEqual([])
    expect(hub.counter('frames_dropped.foreign_epoch')).toBe(1)
    expect(hub.snapshot.workers).toMatchObject([{ state: 'ready' }])
  })

  it('a duplicate connection notice or loss of a stranger changes nothing', () => {
    const hub = scenario()
    hub.step({ type: 'peer_connected', peer: 'nobody/1' })
    hub.step({ type: 'peer_lost', peer: 'nobody/1' })
    hub.step({ type: 'send_failed', peer: 'nobody/1' })
    expect(hub.log).toEqual([])
  })
})

describe('the catalogue as agents see it', () => {
  it('is announced to those who see a change, once for all changes of 10 ms', () => {
    const hub = scenario()
    const agent = hub.agent()
    hub.worker('greeter')
    hub.worker('other', { definitions: tools('wave') })
    expect(agent.heard).toEqual([])
    hub.advance(10)
    expect(agent.heard).toEqual(['tools changed'])
    expect(agent.tools).toEqual(['greet', 'wave'])
  })

  it('is announced by kind: tools, resources with templates, prompts', () => {
    const hub = scenario()
    const agent = hub.agent()
    hub.worker('notes', { definitions: { ...notes, prompts: [{ name: 'ask' }] } })
    hub.advance(10)
    expect(agent.heard).toEqual(['resources changed', 'prompts changed'])
  })

  it('is not announced to whoever sees no change', () => {
    const hub = scenario()
    const [agent, boss] = [hub.agent(), hub.agent('boss', { roles: ['agent', 'operator'] })]
    const elsewhere = hub.agent('http', { services: ['qda'] })
    hub.worker('desk', { definitions: tools(tool('approve', { _meta: { 'callboard/roles': ['operator'] } })) })
    hub.advance(10)
    expect([agent.heard, elsewhere.heard, boss.heard]).toEqual([[], [], ['tools changed']])
  })

  it('is not announced again for an equal worker, or one that comes back', () => {
    const hub = scenario()
    const agent = hub.agent()
    hub.worker('greeter')
    hub.advance(10)
    agent.heard = []
    const replica = hub.worker('greeter')
    replica.die()
    replica.takeAll()
    replica.signIn()
    hub.advance(100)
    expect(agent.heard).toEqual([])
  })

  it('keeps the tools of a worker that is away [CB-23]', () => {
    const hub = scenario()
    hub.worker('greeter').die()
    hub.advance(60_000)
    expect(hub.agent().tools).toEqual(['greet'])
    expect(hub.snapshot.services).toMatchObject([{ service: 'greeter', isServed: false }])
  })

  it('follows an UPDATE; calls in progress go on [CB-25]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { definitions: tools('greet', 'wave') })
    const agent = hub.agent()
    const call = agent.call('wave')
    hub.advance(10)
    agent.heard = []
    worker.update(tools('greet', 'bow'))
    expect(agent.tools).toEqual(['greet', 'bow'])
    hub.advance(10)
    expect(agent.heard).toEqual(['tools changed'])
    worker.respond(worker.request())
    expect(call.outcome).toBe('result "done"')
    expect(agent.call('wave').outcome).toBe('unknown')
  })

  it('stays as it is when an UPDATE is none [CB-25]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    worker.send({ type: 'update', epoch, body: Buffer.from('[]') })
    expect(hub.agent().tools).toEqual(['greet'])
    expect(hub.counter('frames_dropped.invalid_update')).toBe(1)
  })

  it('says whether anyone completes', () => {
    const hub = scenario()
    hub.worker('greeter')
    const { identity } = hub.agent()
    expect(hub.broker.completes(identity)).toBe(false)
    hub.worker('notes', { definitions: { prompts: [{ name: 'ask' }], completions: ['ask'] } })
    expect(hub.broker.completes(identity)).toBe(true)
    expect(hub.broker.completes({ ...identity, services: ['greeter'] })).toBe(false)
  })

  it('is announced on request of a worker, for reasons that no UPDATE shows [CB-54]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const [one, other] = [hub.agent('one'), hub.agent('other')]
    for (const agent of [one, other]) agent.call('greet')
    for (const request of worker.takeAll()) if (request.type === 'request') worker.respond(request)
    hub.advance(10)
    for (const agent of hub.agents) agent.heard = []
    worker.send({ type: 'event', epoch, kind: 'tools_changed', session: one.identity.session })
    hub.advance(10)
    expect([one.heard, other.heard]).toEqual([['tools changed'], []])
    for (const _ of [1, 2, 3]) worker.send({ type: 'event', epoch, kind: 'tools_changed' })
    worker.send({ type: 'event', epoch, kind: 'prompts_changed' })
    hub.advance(10)
    expect(other.heard, 'one notice for many events, none for a list in which the worker has nothing').toEqual([
      'tools changed',
    ])
  })
})

describe('hidden definitions [CB-26]', () => {
  const hiding = () => {
    const hub = scenario()
    const definitions = { ...tools('greet', 'wave'), ...notes, prompts: [{ name: 'ask' }] }
    const worker = hub.worker('greeter', { definitions })
    const [agent, other] = [hub.agent('one'), hub.agent('other')]
    agent.call('greet')
    worker.respond(worker.request())
    hub.advance(10)
    for (const each of hub.agents) each.heard = []
    return { hub, worker, agent, other, session: agent.identity.session, definitions }
  }

  it('disappear for one session only, which alone is told', () => {
    const { hub, worker, agent, other, session } = hiding()
    worker.show(session, {
      hiddenTools: ['wave'],
      hiddenPrompts: ['ask'],
      hiddenResources: ['note://7', 'page://{id}'],
    })
    hub.advance(10)
    expect(agent.tools).toEqual(['greet'])
    for (const kind of ['prompt', 'resource', 'resourceTemplate'] as const) {
      expect(hub.broker.list(kind, agent.identity, 'session')).toEqual([])
      expect(hub.broker.list(kind, other.identity, 'session')).toHaveLength(1)
    }
    expect([agent.heard, other.heard]).toEqual([['tools changed', 'resources changed', 'prompts changed'], []])
  })

  it('reach their worker when they are called all the same', () => {
    const { worker, agent, session } = hiding()
    worker.show(session, { hiddenTools: ['wave'] })
    agent.call('wave')
    expect(worker.request().name).toBe('wave')
  })

  it('come back with another view, which replaces the former', () => {
    const { hub, worker, agent, session } = hiding()
    worker.show(session, { hiddenTools: ['wave'] })
    hub.advance(10)
    agent.heard = []
    worker.show(session, { hiddenTools: ['wave'] })
    hub.advance(10)
    expect(agent.heard).toEqual([])
    worker.show(session, {})
    hub.advance(10)
    expect(agent.heard).toEqual(['tools changed'])
    expect(agent.tools).toEqual(['greet', 'wave'])
  })

  it('end with the session', () => {
    const { hub, worker, agent, session } = hiding()
    worker.show(session, { hiddenTools: ['wave'] })
    agent.close()
    hub.advance(10_000)
    expect(hub.agent('one').tools).toEqual(['greet', 'wave'])
  })

  it('are not taken from a view that is none', () => {
    const { hub, worker, agent, session } = hiding()
    worker.show(session, { hiddenTools: 'all' })
    expect(agent.tools).toEqual(['greet', 'wave'])
    expect(hub.counter('frames_dropped.invalid_update')).toBe(1)
  })

  it('are those of 10,000 sessions at most [CB-91]', () => {
    const { hub, worker, agent, session } = hiding()
    for (let count = 0; count < 10_000; count++) worker.show(`another-${count}`, { hiddenTools: ['wave'] })
    worker.show(session, { hiddenTools: ['wave'] })
    expect(agent.tools).toEqual(['greet', 'wave'])
    expect(hub.counter('frames_dropped.views_max')).toBe(1)
  })

  it('keeps of long views only so much in memory, and leaves room again when one is over [CB-26]', () => {
    const hub = scenario()
    const worker = hub.worker('forum')
    const view = (serial: number) => ({
      hiddenTools: Array.from({ length: 8_000 }, (_, index) => `${serial}-${index}`),
    })
    for (let serial = 10; serial < 70; serial++) worker.show(`session of ${serial}`, view(serial))
    const dropped = hub.counter('frames_dropped.views_max')
    expect(dropped).toBeGreaterThan(0)
    // The same again takes no more, and nothing less.
    worker.show('session of 10', view(10))
    expect(hub.counter('frames_dropped.views_max')).toBe(dropped)
    worker.show('session of 10', {})
    worker.show('session of 99', view(99))
    expect(hub.counter('frames_dropped.views_max')).toBe(dropped)
    worker.show('session of 98', view(98))
    expect(hub.counter('frames_dropped.views_max')).toBe(dropped + 1)
  })

  it('may be sent again after the hub has come back, before the agents have', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { definitions: tools('greet', 'wave') })
    worker.show('session of one', { hiddenTools: ['wave'] })
    expect(hub.agent('one').tools).toEqual(['greet'])
  })

  it('are forgotten for agents that never came back', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { definitions: tools('greet', 'wave') })
    worker.show('session of one', { hiddenTools: ['wave'] })
    hub.advance(30_000)
    expect(hub.agent('one').tools).toEqual(['greet', 'wave'])
  })

  it('may be sent again after a worker has come back', () => {
    const { hub, worker, agent, session } = hiding()
    hub.advance(30_000)
    worker.die()
    worker.takeAll()
    worker.signIn()
    worker.show(session, { hiddenTools: ['wave'] })
    expect(agent.tools).toEqual(['greet'])
  })
})

describe('subscriptions', () => {
  it('are told to every worker of the service, once per session [CB-52]', () => {
    const hub = scenario()
    const workers = [hub.worker('notes', { definitions: notes }), hub.worker('notes', { definitions: notes })]
    const other = hub.worker('other')
    const [agent, same] = [hub.agent(), hub.agent()]
    agent.subscribe('note://7')
    same.subscribe('note://7')
    for (const worker of workers) {
      expect(worker.take('subscribe')).toEqual({ type: 'subscribe', uri: 'note://7', session: 'session of main' })
      expect(worker.received).toEqual([])
    }
    agent.unsubscribe('note://7')
    expect(workers[0]!.received).toEqual([])
    same.unsubscribe('note://7')
    expect(workers[0]!.take('unsubscribe')).toEqual({
      type: 'unsubscribe',
      uri: 'note://7',
      session: 'session of main',
    })
    expect(other.received).toEqual([])
  })

  it('end with the connection that made them', () => {
    const hub = scenario()
    const worker = hub.worker('notes', { definitions: notes })
    const agent = hub.agent()
    agent.subscribe('page://3')
    worker.take('subscribe')
    agent.close()
    expect(worker.take('unsubscribe').uri).toBe('page://3')
  })

  it('are told again after each WELCOME [CB-53]', () => {
    const hub = scenario()
    const agent = hub.agent()
    agent.subscribe('note://7')
    agent.subscribe('nobody://has/this')
    const worker = hub.worker('notes', { definitions: notes })
    expect(worker.take('subscribe').uri).toBe('note://7')
    worker.hello()
    worker.ready(worker.take('challenge'))
    worker.take('welcome')
    expect(worker.take('subscribe').uri).toBe('note://7')
    expect(worker.received).toEqual([])
  })

  it('are told when the resource comes with an UPDATE', () => {
    const hub = scenario()
    const agent = hub.agent()
    agent.subscribe('note://7')
    const worker = hub.worker('notes')
    expect(worker.received).toEqual([])
    worker.update(notes)
    expect(worker.take('subscribe').uri).toBe('note://7')
  })

  it('bring updates to those who watch, and to nobody else [CB-54]', () => {
    const hub = scenario()
    const worker = hub.worker('notes', { definitions: notes })
    const [watching, both, idle] = [hub.agent('watching'), hub.agent('both'), hub.agent('idle')]
    const second = hub.agent('both')
    for (const agent of [watching, both, second]) agent.subscribe('note://7')
    hub.advance(10)
    for (const agent of hub.agents) agent.heard = []
    worker.send({ type: 'event', epoch, kind: 'resource_updated', uri: 'note://7' })
    expect([watching, both, second, idle].map(({ heard }) => heard)).toEqual([
      ['note://7 updated'],
      ['note://7 updated'],
      ['note://7 updated'],
      [],
    ])
    worker.send({ type: 'event', epoch, kind: 'resource_updated', uri: 'note://7', session: 'session of both' })
    expect([watching.heard.length, both.heard.length]).toEqual([1, 2])
  })

  it('bring no updates from a worker that does not own the resource [CB-54]', () => {
    const hub = scenario()
    hub.worker('notes', { definitions: notes })
    const forger = hub.worker('forger')
    const agent = hub.agent()
    agent.subscribe('note://7')
    hub.advance(10)
    agent.heard = []
    forger.send({ type: 'event', epoch, kind: 'resource_updated', uri: 'note://7' })
    expect(agent.heard).toEqual([])
  })

  it('of what an agent may not see do nothing', () => {
    const hub = scenario()
    const worker = hub.worker('notes', { definitions: notes })
    hub.agent('http', { services: ['qda'] }).subscribe('note://7')
    expect(worker.received).toEqual([])
  })
})

describe('sessions', () => {
  const watched = () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const other = hub.worker('other', { definitions: tools('wave') })
    const agent = hub.agent()
    agent.call('greet')
    worker.respond(worker.request())
    return { hub, worker, other, agent }
  }

  it('end 10 s after their last connection; workers that knew them are told [CB-56]', () => {
    const { hub, worker, other, agent } = watched()
    const second = hub.agent()
    agent.close()
    hub.advance(15_000)
    expect(worker.received).toEqual([])
    second.close()
    hub.advance(9_999)
    expect(worker.received).toEqual([])
    hub.advance(1)
    expect(worker.take('session_closed').session).toBe('session of main')
    expect(other.received).toEqual([])
  })

  it('end at once when the last that was there says goodbye [CB-56]', () => {
    const { hub, worker, agent } = watched()
    const second = hub.agent()
    agent.leave()
    expect(worker.received).toEqual([])
    second.leave()
    expect(worker.take('session_closed').session).toBe('session of main')
  })

  it('live on when an agent comes back in time', () => {
    const { hub, worker, agent } = watched()
    agent.close()
    hub.advance(9_999)
    hub.agent()
    hub.advance(20_000)
    expect(worker.received).toEqual([])
  })

  it("are all named to workers 30 s after the hub's start [CB-57]", () => {
    const { hub, worker } = watched()
    hub.agent('second')
    hub.advance(29_999)
    expect(worker.sessions).toEqual([])
    hub.advance(1)
    expect(worker.sessions).toEqual([{ sessions: ['session of main', 'session of second'] }])
  })

  it('are named right after WELCOME to workers that sign in later [CB-57]', () => {
    const { hub } = watched()
    hub.advance(30_000)
    expect(hub.worker('late').sessions).toEqual([{ sessions: ['session of main'] }])
  })

  it('that a worker knew before it signed in again end for it, too [CB-56]', () => {
    const { hub, worker, agent } = watched()
    hub.advance(30_000)
    worker.die()
    worker.takeAll()
    worker.signIn()
    agent.close()
    hub.advance(10_000)
    expect(worker.take('session_closed').session).toBe('session of main')
  })

  it('tell workers that know them of changed roots [CB-55]', () => {
    const { worker, other, agent } = watched()
    agent.rootsChanged()
    expect(worker.take('roots_changed').session).toBe('session of main')
    expect(other.received).toEqual([])
  })

  it('are at most 10,000 [CB-91]', () => {
    const hub = scenario()
    hub.worker('greeter')
    for (let count = 0; count < 10_000; count++) hub.agent(`agent-${count}`)
    const more = hub.agent('one more')
    expect(more.call('greet').outcome).toBe('cancelled')
    expect(hub.agent('agent-0').call('gret').outcome).toBe('unknown')
    expect(hub.counter('connections_refused.sessions_max')).toBe(1)
    for (const agent of hub.agents.splice(0)) agent.close()
  })

  it('that only linger give way to one that comes, the oldest first', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const first = hub.agent('agent-0')
    first.call('greet')
    worker.respond(worker.request())
    first.close()
    for (let count = 1; count < 10_000; count++) hub.agent(`agent-${count}`)
    const more = hub.agent('one more')
    expect(worker.take('session_closed').session).toBe(first.identity.session)
    more.call('greet')
    worker.respond(worker.request())
    for (const agent of hub.agents.splice(0)) agent.close()
  })
})

describe('a worker that drains [CB-75]', () => {
  it('is acknowledged, finishes what it holds, and gets nothing new', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const agent = hub.agent()
    const call = agent.call('greet')
    const request = worker.request()
    worker.drain(5_000)
    expect(worker.take('drain')).toEqual({ type: 'drain', epoch, drainMs: 5_000, acknowledged: true })
    const waiting = agent.call('greet')
    expect(worker.received).toEqual([])
    worker.respond(request)
    worker.bye()
    expect(worker.take('bye')).toEqual({ type: 'bye', epoch })
    expect([call.outcome, waiting.outcome]).toEqual(['result "done"', 'open'])
    expect(hub.log).toContain('worker_left greeter bye')
  })

  it('with one replica: calls wait for its successor [CB-79]', () => {
    const hub = scenario()
    const worker = hub.worker('solo', { replicas: 'one', definitions: tools('greet') })
    worker.drain()
    const call = hub.agent().call('greet')
    hub.advance(1_000)
    worker.bye()
    hub.advance(3_000)
    const next = hub.worker('solo', { replicas: 'one', definitions: tools('greet') })
    next.respond(next.request())
    expect(call.outcome).toBe('result "done"')
  })

  it('is acknowledged again for a second DRAIN, which changes nothing [CB-76]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    worker.drain(1_000)
    hub.advance(500)
    worker.drain(60_000)
    expect(worker.received).toEqual(['drain', 'drain'])
    hub.advance(5_500)
    expect(hub.log).toContain('worker_left greeter drain_overdue')
  })

  it('and never says BYE is let go 5 s after its time, with BYE; its calls are lost [CB-78]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { beats: false })
    const call = hub.agent().call('greet')
    worker.takeAll()
    worker.drain(10_000)
    worker.take('drain')
    hub.advance(14_999)
    expect(call.outcome).toBe('open')
    hub.advance(1)
    expect(call.outcome).toBe('outcome_unknown')
    expect(worker.received).toEqual(['bye'])
  })

  it('with BYE loses what it had not answered [CB-77]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    worker.request()
    worker.bye()
    expect(call.outcome).toBe('outcome_unknown')
  })

  it('may answer not_started to what crossed its DRAIN: the call waits for another [CB-33] [CB-75]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const call = hub.agent().call('greet')
    const request = worker.request()
    worker.drain()
    worker.take('drain')
    worker.decline(request, 'draining')
    expect([worker.received, call.outcome]).toEqual([[], 'open'])
    hub.advance(5_000)
    expect(call.outcome).toBe('unavailable')
  })
})

describe('calls of a session that ends', () => {
  it('are cancelled, each once, with those nested in them', () => {
    const hub = scenario()
    const worker = hub.worker('caller', { definitions: tools('ask') })
    const helper = hub.worker('helper', { definitions: tools('help') })
    const agent = hub.agent()
    agent.call('ask')
    const request = worker.request()
    worker.call('help', { parent: request.id })
    helper.request()
    worker.ask(request)
    agent.close()
    hub.advance(9_999)
    expect(worker.received).toEqual([])
    hub.advance(1)
    expect(worker.received).toEqual(['cancel', 'result', 'session_closed'])
    expect(helper.received).toEqual(['cancel', 'session_closed'])
  })
})

describe('a drain that the operator asks for [CB-76]', () => {
  it('asks the workers of a service, or one instance, once', () => {
    const hub = scenario()
    const [one, two, other] = [hub.worker('greeter'), hub.worker('greeter'), hub.worker('other')]
    hub.drain({ instance: one.instance }, 7_000)
    expect(one.take('drain')).toEqual({ type: 'drain', epoch, drainMs: 7_000, acknowledged: false })
    hub.drain('greeter')
    expect([one.received, two.received, other.received]).toEqual([[], ['drain'], []])
    one.send({ type: 'drain', epoch, drainMs: 7_000, acknowledged: true })
    expect(one.received).toEqual([])
  })

  it('of the whole hub asks all, and takes no more calls [CB-78]', () => {
    const hub = scenario()
    const [one, other] = [hub.worker('greeter'), hub.worker('other')]
    const agent = hub.agent()
    const call = agent.call('greet')
    const request = one.request()
    hub.drain('all', 800)
    for (const worker of [one, other]) {
      expect(worker.take('drain')).toEqual({ type: 'drain', epoch, drainMs: 800, acknowledged: false, hubEnds: true })
    }
    expect(agent.call('greet').raw).toMatchObject({ failure: { code: 'unavailable', retryable: true } })
    one.respond(request)
    expect(call.outcome).toBe('result "done"')
  })
})

describe('a restart of the hub', () => {
  it('lists the kept catalogue before any worker is back [CB-23]', () => {
    const first = scenario()
    first.worker('greeter', { affinity: 'session', replicas: 'one', version: '2.1.0' })
    first.advance(10)
    expect(first.kept).toEqual([
      [
        {
          service: 'greeter',
          version: '2.1.0',
          replicas: 'one',
          affinity: 'session',
          lastSeenAt: first.now,
          trusted: false,
          definitions: tools('greet'),
        },
      ],
    ])

    const second = scenario()
    second.step({ type: 'catalogue_restored', services: first.kept.at(-1)! })
    const agent = second.agent()
    expect(agent.tools).toEqual(['greet'])
    const call = agent.call('greet')
    const worker = second.worker('greeter', { affinity: 'session', replicas: 'one', version: '2.1.0' })
    worker.respond(worker.request())
    expect(call.outcome).toBe('result "done"')
    second.advance(10)
    expect(agent.heard.filter((text) => text === 'tools changed').length).toBeLessThanOrEqual(1)
  })

  it('keeps the names for their service [CB-22]', () => {
    const hub = scenario()
    const stored = {
      service: 'greeter',
      version: '1',
      replicas: 'many',
      affinity: 'none',
      lastSeenAt: hub.now,
      trusted: false,
      definitions: tools('greet'),
    } as const
    hub.step({ type: 'catalogue_restored', services: [stored] })
    const thief = hub.stranger('thief')
    expect(parsed(thief.signIn().body)).toMatchObject({ refused: [{ code: 'name_taken', holder: 'greeter' }] })
  })

  it('still knows what was served without a change for days', () => {
    const first = scenario()
    first.worker('greeter', { heartbeatMs: 60_000 })
    first.advance(3 * 24 * 3_600_000)
    const kept = first.kept.at(-1)!
    const second = scenario()
    second.now = first.now
    second.step({ type: 'catalogue_restored', services: kept })
    expect(second.agent().tools).toEqual(['greet'])
  })
})

it('time that goes back is taken as time that stands still', () => {
  const hub = scenario()
  const worker = hub.worker('greeter')
  hub.now -= 5_000
  expect(worker.beat()?.now).toBe(hub.now + 5_000)
})

it('a snapshot shows workers, services, calls and counts', () => {
  const hub = scenario()
  const worker = hub.worker('greeter', { concurrency: 1, trusted: true })
  const identity: Partial<Identity> = { group: 'family' }
  const agent = hub.agent('main', identity)
  agent.call('greet')
  agent.call('greet')
  worker.ask(worker.request())
  expect(hub.snapshot).toMatchObject({
    epoch,
    workers: [
      {
        service: 'greeter',
        version: '1.0.0',
        state: 'ready',
        trusted: true,
        inFlight: 1,
        suspended: 1,
        concurrency: 1,
      },
    ],
    services: [{ service: 'greeter', tools: ['greet'], isServed: true }],
    calls: [
      { name: 'greet', service: 'greeter', principal: 'agent:main', state: 'suspended', depth: 0, startedAt: hub.now },
      { state: 'running' },
    ],
    queued: 0,
    sessions: 1,
    connections: 1,
    conversations: 2,
  })
})
