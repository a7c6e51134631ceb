import { describe, expect, it } from 'vitest'
import { readOnly, scenario, tool, tools } from './scenario.js'

describe('second tries', () => {
  it('cost a worker nothing that drains: its calls go on to the next, as often as needed', () => {
    const hub = scenario()
    const workers = Array.from({ length: 5 }, () => hub.worker('greeter'))
    const call = hub.agent().call('greet')
    for (const worker of workers.slice(0, 4)) worker.decline(worker.request(), 'draining')
    workers[4]!.respond(workers[4]!.request())
    expect(call.outcome).toBe('result "done"')
  })

  it('have a budget for each service: beyond it a lost call is told to be one', () => {
    const hub = scenario()
    const setup = { definitions: tools(readOnly('look')), concurrency: 600 }
    const worker = hub.worker('finder', setup)
    const agents = [1, 2, 3].map((name) => hub.agent(`agent-${name}`))
    const calls = Array.from({ length: 600 }, (_, index) => agents[index % 3]!.call('look'))
    hub.worker('finder', setup)
    worker.die()
    const outcomes = calls.map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'open')).toHaveLength(500)
    expect(outcomes.filter((outcome) => outcome === 'outcome_unknown')).toHaveLength(100)
    expect(hub.broker.statistics().services).toMatchObject([{ service: 'finder', retries: 500 }])
  })

  it('earn it back with first ones, and with time', () => {
    const hub = scenario()
    const setup = { definitions: tools(readOnly('look')), concurrency: 600 }
    const workers = [hub.worker('finder', setup)]
    const agents = [1, 2, 3].map((name) => hub.agent(`agent-${name}`))
    const lose = (count: number) => {
      const calls = Array.from({ length: count }, (_, index) => agents[index % 3]!.call('look'))
      workers.push(hub.worker('finder', setup))
      workers.shift()!.die()
      const kept = calls.filter(({ outcome }) => outcome === 'open').length
      for (const each of workers[0]!.takeAll()) if (each.type === 'request') workers[0]!.respond(each)
      return kept
    }
    expect(lose(600)).toBe(500)
    expect(lose(100)).toBe(20)
    hub.advance(5_000)
    expect(lose(100)).toBe(50 + 20)
  })
})

describe('a service that gets more than it can do', () => {
  it('tells who is refused how long what waits will take', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent()
    for (let count = 0; count < 257; count++) agent.call('greet')
    for (let count = 0; count < 40; count++) {
      hub.advance(100)
      worker.respond(worker.request())
      agent.call('greet')
    }
    expect(agent.call('greet').raw).toMatchObject({ failure: { code: 'overloaded', retryAfterMs: 25_600 } })
  })

  it('refuses at once what would not be started in its time', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent()
    for (let count = 0; count < 257; count++) agent.call('greet')
    for (let count = 0; count < 40; count++) {
      hub.advance(100)
      worker.respond(worker.request())
    }
    const message = expect.stringMatching(/would not be started in time.*not started; try again in 21\.6 s/)
    expect(agent.call('greet', { timeoutMs: 10_000 }).raw).toMatchObject({ failure: { code: 'overloaded', message } })
    expect(hub.agent('modest').call('greet', { timeoutMs: 10_000 }).outcome).toBe('open')
  })

  it('does not take a slow hour for its speed', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent()
    for (let count = 0; count < 40; count++) {
      agent.call('greet')
      hub.advance(60_000)
      worker.respond(worker.request())
    }
    agent.call('greet')
    expect(agent.call('greet', { timeoutMs: 5_000 }).outcome).toBe('open')
  })

  it('forgets how slow it once was', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent()
    for (let count = 0; count < 24; count++) agent.call('greet')
    for (let count = 0; count < 24; count++) {
      hub.advance(1_000)
      worker.respond(worker.request())
    }
    expect(agent.call('greet').outcome).toBe('open')
    worker.respond(worker.request())
    hub.advance(600_000)
    // A burst that is over before a rate is seen must not be refused for ever by the old one.
    const burst = Array.from({ length: 30 }, () => agent.call('greet', { timeoutMs: 10_000 }))
    expect(burst.filter(({ outcome }) => outcome === 'overloaded')).toEqual([])
  })

  it('keeps large calls of one principal from all the memory, and so from the calls of every other service', () => {
    const hub = scenario()
    hub.worker('greeter', { concurrency: 1 })
    hub.worker('counter', { concurrency: 1, definitions: tools('count') })
    const body = new Uint8Array(4 * 1024 * 1024)
    const greedy = hub.agent('greedy')
    greedy.call('greet')
    const calls = Array.from({ length: 64 }, () => greedy.call('greet', { body }))
    expect(calls.filter(({ outcome }) => outcome === 'open')).toHaveLength(48)
    const modest = hub.agent('modest')
    modest.call('count')
    expect(modest.call('count', { body }).outcome).toBe('open')
  })

  it('does not let large calls have the places of small ones beyond the memory for them', () => {
    const hub = scenario()
    hub.worker('greeter', { concurrency: 1 })
    hub.agent('first').call('greet')
    for (const name of [1, 2, 3, 4]) {
      const agent = hub.agent(`crowd-${name}`)
      for (let count = 0; count < 256; count++) agent.call('greet')
    }
    const body = new Uint8Array(4 * 1024 * 1024)
    const large = hub.agent('large')
    const calls = Array.from({ length: 100 }, () => large.call('greet', { body }))
    expect(calls.filter(({ outcome }) => outcome === 'open')).toHaveLength(48)
  })

  it('keeps a part of the queue from one principal, in however many sessions it comes', () => {
    const hub = scenario()
    hub.worker('greeter', { concurrency: 1 })
    hub.agent('first').call('greet')
    const sessions = [1, 2, 3, 4].map((name) => hub.agent('greedy', { session: `session ${name}` }))
    const calls = sessions.flatMap((agent) => Array.from({ length: 256 }, () => agent.call('greet')))
    expect(calls.filter(({ outcome }) => outcome === 'open')).toHaveLength(768)
    expect(calls.at(-1)!.raw).toMatchObject({
      failure: { message: expect.stringMatching(/^Too many calls of this caller/) },
    })
    expect(hub.agent('modest').call('greet').outcome).toBe('open')
  })

  it('makes room for one who has little there by refusing the last of who has most', () => {
    const hub = scenario()
    hub.worker('greeter', { concurrency: 1 })
    hub.agent('first').call('greet')
    const crowd = [1, 2, 3, 4].flatMap((name) => {
      const agent = hub.agent(`crowd-${name}`)
      return Array.from({ length: 256 }, () => agent.call('greet'))
    })
    const polite = hub.agent('polite').call('greet')
    expect(polite.outcome).toBe('open')
    expect(crowd.filter(({ outcome }) => outcome === 'overloaded')).toEqual([crowd[255]])
    expect(hub.agent('crowd-2').call('greet').outcome).toBe('overloaded')
    expect(hub.snapshot.queued).toBe(1_024)
  })

  it('does so for a session of the very principal that fills its part', () => {
    const hub = scenario()
    hub.worker('greeter', { concurrency: 1 })
    hub.agent('first').call('greet')
    for (const name of [1, 2, 3]) {
      const agent = hub.agent('greedy', { session: `session ${name}` })
      for (let count = 0; count < 256; count++) agent.call('greet')
    }
    expect(hub.agent('greedy', { session: 'quiet' }).call('greet').outcome).toBe('open')
    expect(hub.snapshot.queued).toBe(768)
  })

  it('serves a principal of one session as often as one of many', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    hub.agent('first').call('greet')
    for (const name of [1, 2, 3, 4]) hub.agent('greedy', { session: `session ${name}` }).call('greet')
    for (let count = 0; count < 2; count++) hub.agent('modest').call('greet')
    const served: string[] = []
    for (let count = 0; count < 5; count++) {
      worker.respond(worker.request())
      served.push(
        worker.received.length > 0 ? (worker.inbox[0] as { caller: { principal: string } }).caller.principal : '',
      )
    }
    const [g, m] = ['agent:greedy', 'agent:modest']
    expect(served).toEqual([g, m, g, m, g])
  })

  it('is told in the log once when it begins, then in sums', () => {
    const hub = scenario()
    hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent('greedy')
    for (let count = 0; count < 300; count++) agent.call('greet')
    const shed = () => hub.notices.filter(({ kind }) => kind === 'calls_shed')
    expect(shed()).toEqual([
      { kind: 'calls_shed', service: 'greeter', reason: 'share_used', count: 1, principals: ['agent:greedy'] },
    ])
    hub.advance(10_000)
    expect(shed().slice(1)).toMatchObject([{ reason: undefined, count: 42, principals: ['agent:greedy'] }])
    hub.advance(30_000)
    expect(shed()).toHaveLength(2)
    expect(hub.broker.statistics().services[0]?.shed).toEqual({ share_used: 43 })
  })
})

describe('a hub that stood still', () => {
  it('hands nothing over whose time went by meanwhile, whatever else is due', () => {
    const hub = scenario()
    const [old, recent] = ['1.0.0', '2.0.0'].map((version) => {
      const definitions = tools(tool('greet', { title: version }))
      return hub.worker('greeter', { version, definitions, heartbeatMs: 60_000 })
    })
    old!.die()
    hub.advance(1_000)
    const late = hub.agent().call('greet', { timeoutMs: 4_500 })
    hub.now += 10_000
    hub.step({ type: 'tick' })
    expect([late.outcome, recent!.received]).toEqual(['deadline_exceeded', []])
  })

  it('reads what workers said meanwhile before it calls them silent [CB-70]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { beats: false })
    hub.now += 10_000
    hub.step({ type: 'tick' })
    expect(hub.snapshot.workers).toMatchObject([{ state: 'ready' }])
    worker.beat()
    hub.advance(1_999)
    expect(hub.snapshot.workers).toMatchObject([{ state: 'ready' }])
    expect(hub.log).not.toContain('worker_suspect greeter')
  })

  it('calls them silent when there was nothing', () => {
    const hub = scenario()
    hub.worker('greeter', { beats: false })
    hub.now += 10_000
    hub.step({ type: 'tick' })
    hub.advance(250)
    expect(hub.snapshot.workers).toMatchObject([{ state: 'suspect' }])
  })
})
