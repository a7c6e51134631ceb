import { describe, expect, it } from 'vitest'
import { readOnly, type ScenarioHub, scenario, tool, tools } from './scenario.js'

/** Who has got requests, in order of the workers. */
const loads = (hub: ScenarioHub): number[] => hub.snapshot.workers.map(({ inFlight }) => inFlight)

describe('choosing a worker', () => {
  it('takes the one with the least outstanding', () => {
    const hub = scenario()
    const [first] = [hub.worker('greeter', { concurrency: 8 }), hub.worker('greeter', { concurrency: 8 })]
    const agent = hub.agent()
    for (let count = 0; count < 4; count++) agent.call('greet')
    expect(loads(hub)).toEqual([2, 2])
    first.respond(first.request())
    first.respond(first.request())
    agent.call('greet')
    agent.call('greet')
    expect(loads(hub)).toEqual([2, 2])
  })

  it('among equals the least recently used', () => {
    const hub = scenario()
    const workers = ['a', 'b', 'c'].map((instance) => hub.worker('greeter', { instance }))
    const order: string[] = []
    const agent = hub.agent()
    for (let count = 0; count < 6; count++) {
      agent.call('greet')
      const taker = workers.find(({ received }) => received.length > 0)!
      order.push(taker.instance)
      taker.respond(taker.request())
    }
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  })

  it('gives a worker no more calls than its concurrency [CB-38]', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 2 })
    const agent = hub.agent()
    const calls = [1, 2, 3].map(() => agent.call('greet'))
    expect(worker.received).toEqual(['request', 'request'])
    worker.respond(worker.request())
    expect(worker.received).toEqual(['request', 'request'])
    for (const request of [worker.request(), worker.request()]) worker.respond(request)
    expect(calls.map(({ outcome }) => outcome)).toEqual(new Array(3).fill('result "done"'))
  })

  it('counts credits for each depth apart [CB-38]', () => {
    const hub = scenario()
    const caller = hub.worker('caller', { definitions: tools('ask'), concurrency: 4 })
    const helper = hub.worker('helper', { definitions: tools('help'), concurrency: 1 })
    const agent = hub.agent()
    agent.call('help')
    agent.call('ask')
    const parent = caller.request().id
    caller.call('help', { parent })
    expect(helper.takeAll().map((each) => each.type === 'request' && each.caller.depth)).toEqual([0, 1])
    caller.call('help', { parent })
    expect(helper.received).toEqual([])
  })

  it('asks only replicas that offer the very definition [CB-23]', () => {
    const hub = scenario()
    const old = hub.worker('greeter', { version: '1.0.0', definitions: tools('greet') })
    const recent = hub.worker('greeter', { version: '1.1.0', definitions: tools('greet', 'wave'), concurrency: 9 })
    hub.advance(30_000)
    const agent = hub.agent()
    for (let count = 0; count < 3; count++) agent.call('wave')
    expect([old.received.length, recent.received.length]).toEqual([0, 3])
    agent.call('greet')
    expect(old.received).toEqual(['request'])
  })
})

describe('the queue', () => {
  it('is fair between sessions: each has its turn', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const [greedy, modest] = [hub.agent('greedy'), hub.agent('modest')]
    for (let count = 0; count < 4; count++) greedy.call('greet')
    modest.call('greet')
    modest.call('greet')
    const served: string[] = []
    for (let count = 0; count < 6; count++) {
      const request = worker.request()
      served.push(request.caller.principal)
      worker.respond(request)
    }
    const [g, m] = ['agent:greedy', 'agent:modest']
    expect(served).toEqual([g, g, m, g, m, g])
  })

  it('sheds what is too much of one session, with retryAfterMs', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const agent = hub.agent('greedy')
    const calls = Array.from({ length: 258 }, () => agent.call('greet'))
    expect(calls.filter(({ outcome }) => outcome === 'open')).toHaveLength(257)
    expect(calls.at(-1)!.raw).toMatchObject({
      failure: { code: 'overloaded', retryable: true, retryAfterMs: 1_000 },
    })
    expect(hub.agent('modest').call('greet').outcome).toBe('open')
    worker.respond(worker.request())
    expect(agent.call('greet').outcome).toBe('open')
  })

  it('sheds what is too much for one service', () => {
    const hub = scenario()
    hub.worker('greeter', { concurrency: 1 })
    const other = hub.worker('other', { definitions: tools('wave') })
    hub.agent('first').call('greet')
    for (let session = 0; session < 4; session++) {
      const agent = hub.agent(`agent-${session}`)
      for (let count = 0; count < 256; count++) expect(agent.call('greet').outcome).toBe('open')
    }
    expect(hub.agent('agent-0').call('greet').outcome).toBe('overloaded')
    hub.agent('last').call('wave')
    expect(other.received).toEqual(['request'])
  })
})

describe('a service whose workers are away', () => {
  it('lets calls wait for 5 s, and serves them when one comes', () => {
    const hub = scenario()
    hub.worker('greeter').die()
    const call = hub.agent().call('greet')
    hub.advance(4_999)
    const worker = hub.worker('greeter')
    worker.respond(worker.request())
    expect(call.outcome).toBe('result "done"')
  })

  it('ends them as unavailable after that', () => {
    const hub = scenario()
    hub.worker('greeter').die()
    const call = hub.agent().call('greet')
    hub.advance(5_000)
    expect(call.raw).toMatchObject({ failure: { code: 'unavailable', retryable: true } })
  })

  it('gives the grace to what was queued behind a worker that dies', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1 })
    const [running, queued] = [hub.agent().call('greet'), hub.agent().call('greet')]
    hub.advance(10_000)
    worker.die()
    expect([running.outcome, queued.outcome]).toEqual(['outcome_unknown', 'open'])
    hub.advance(5_000)
    expect(queued.outcome).toBe('unavailable')
  })

  it('does not let the grace outlast a deadline', () => {
    const hub = scenario()
    hub.worker('greeter').die()
    const call = hub.agent().call('greet', { timeoutMs: 1_000 })
    hub.advance(1_000)
    expect(call.outcome).toBe('deadline_exceeded')
  })

  it('keeps a call that may be repeated in the queue when its only worker dies', () => {
    const hub = scenario()
    const worker = hub.worker('finder', { definitions: tools(readOnly('look')) })
    const call = hub.agent().call('look')
    worker.die()
    hub.advance(4_000)
    const next = hub.worker('finder', { definitions: tools(readOnly('look')) })
    next.respond(next.request())
    expect(call.outcome).toBe('result "done"')
  })

  it('hands several such calls over in their order', () => {
    const hub = scenario()
    const definitions = tools(readOnly('look'))
    const worker = hub.worker('finder', { definitions, concurrency: 3 })
    const agent = hub.agent()
    for (const text of ['1', '2', '3']) agent.call('look', { idempotencyKey: text })
    worker.die()
    const next = hub.worker('finder', { definitions, concurrency: 3 })
    const keys = next.takeAll().map((each) => each.type === 'request' && each.idempotencyKey)
    expect(keys).toEqual(['1', '2', '3'])
  })
})

describe('a suspect worker [CB-70]', () => {
  it('is one that was silent for two of its intervals', () => {
    const hub = scenario()
    hub.worker('greeter', { heartbeatMs: 1_000, beats: false })
    hub.advance(1_999)
    expect(hub.snapshot.workers).toMatchObject([{ state: 'ready' }])
    hub.advance(1)
    expect(hub.snapshot.workers).toMatchObject([{ state: 'suspect' }])
    expect(hub.log).toContain('worker_suspect greeter')
  })

  it('gets no new calls, and keeps those that it has', () => {
    const hub = scenario()
    const late = hub.worker('greeter', { beats: false })
    const held = hub.agent().call('greet', { timeoutMs: 20_000 })
    const request = late.request()
    hub.advance(2_000)
    const waiting = hub.agent().call('greet')
    expect(late.received).toEqual([])
    hub.advance(4_000)
    expect([held.outcome, waiting.outcome]).toEqual(['open', 'open'])
    late.respond(request)
    expect(held.outcome).toBe('result "done"')
    expect(late.received).toEqual(['request'])
  })

  it('leaves the work to its replicas', () => {
    const hub = scenario()
    const late = hub.worker('greeter', { beats: false })
    const other = hub.worker('greeter', { concurrency: 4 })
    hub.advance(2_000)
    for (let count = 0; count < 3; count++) hub.agent().call('greet')
    expect([late.received.length, other.received.length]).toEqual([0, 3])
  })

  it('is back with its first message of any kind', () => {
    const hub = scenario()
    const late = hub.worker('greeter', { beats: false })
    hub.advance(2_000)
    hub.agent().call('greet')
    late.log('info', 'hm')
    expect(late.received).toEqual(['request'])
    expect(hub.log).toContain('worker_back greeter')
  })

  it('gets nothing when its first message is DRAIN', () => {
    const hub = scenario()
    const late = hub.worker('greeter', { beats: false })
    hub.advance(2_000)
    hub.agent().call('greet')
    late.drain()
    expect(late.received).toEqual(['drain'])
  })

  it('is found out together with others, whenever each was heard: a hub at rest is woken four times a second at most', () => {
    const hub = scenario()
    for (let index = 0; index < 20; index++) {
      hub.worker(`worker-${index}`, { heartbeatMs: 1_000, definitions: tools(`tool_${index}`) })
      hub.advance(53)
    }
    hub.advance(60_000)
    const deadlines = new Set<number | undefined>()
    for (let ms = 0; ms < 2_000; ms++) {
      deadlines.add(hub.broker.nextDeadline())
      hub.advance(1)
    }
    expect(deadlines.size).toBeLessThanOrEqual(1 + 2 * 4)
  })

  it('that holds nothing is taken as gone after another minute [CB-73]', () => {
    const hub = scenario()
    hub.worker('greeter', { beats: false })
    hub.advance(61_999)
    expect(hub.snapshot.workers).toHaveLength(1)
    hub.advance(1)
    expect(hub.log).toContain('worker_left greeter connection_lost')
  })

  it('that holds a call may be as silent as it likes: busy is not dead [CB-70]', () => {
    const hub = scenario()
    const late = hub.worker('greeter', {
      beats: false,
      definitions: tools(tool('long', { _meta: { 'callboard/timeoutMs': 3_600_000 } })),
    })
    const call = hub.agent().call('long')
    hub.advance(3_000_000)
    late.respond(late.request())
    expect(call.outcome).toBe('result "done"')
  })

  it('can become suspect again', () => {
    const hub = scenario()
    const late = hub.worker('greeter', { beats: false })
    hub.advance(2_000)
    late.beat()
    hub.advance(2_000)
    expect(hub.snapshot.workers).toMatchObject([{ state: 'suspect' }])
  })

  it('for longer than the grace ends what waits for it, not what it holds', () => {
    const hub = scenario()
    const late = hub.worker('greeter', { beats: false, concurrency: 1 })
    const [held, waiting] = [hub.agent().call('greet'), hub.agent().call('greet')]
    late.request()
    hub.advance(6_999)
    expect(waiting.outcome).toBe('open')
    hub.advance(1)
    expect([held.outcome, waiting.outcome]).toEqual(['open', 'unavailable'])
  })
})

describe('affinity [CB-44]', () => {
  const two = (affinity: 'session' | 'principal', concurrency = 4) => {
    const hub = scenario()
    const setup = { affinity, concurrency, definitions: tools('greet', readOnly('look')) }
    return { hub, workers: [hub.worker('greeter', setup), hub.worker('greeter', setup)] as const }
  }

  it('keeps a session on the worker of its first call', () => {
    const { hub, workers } = two('session')
    const [first, second] = [hub.agent('a'), hub.agent('b')]
    for (let count = 0; count < 3; count++) {
      first.call('greet')
      second.call('greet')
    }
    const sessions = workers.map(
      (worker) => new Set(worker.takeAll().map((each) => each.type === 'request' && each.caller.session)),
    )
    expect(sessions).toEqual([new Set(['session of a']), new Set(['session of b'])])
  })

  it('keeps all sessions of a principal together', () => {
    const { hub, workers } = two('principal')
    for (const session of ['one', 'two', 'three']) hub.agent('same', { session }).call('greet')
    expect(workers.map(({ received }) => received.length)).toEqual([3, 0])
  })

  it('rather lets a call wait than hand it to a free replica', () => {
    const { hub, workers } = two('session', 1)
    const agent = hub.agent()
    agent.call('greet')
    const call = agent.call('greet')
    expect(workers.map(({ received }) => received.length)).toEqual([1, 0])
    workers[0].respond(workers[0].request())
    workers[0].respond(workers[0].request())
    expect(call.outcome).toBe('result "done"')
  })

  it('waits for a suspect worker, too', () => {
    const hub = scenario()
    const late = hub.worker('greeter', { affinity: 'session', beats: false })
    const other = hub.worker('greeter', { affinity: 'session' })
    const agent = hub.agent()
    agent.call('greet')
    late.respond(late.request())
    hub.advance(2_000)
    agent.call('greet')
    expect([late.received, other.received]).toEqual([[], []])
    late.beat()
    expect(late.received).toEqual(['request'])
  })

  it.each(['dies', 'drains'] as const)('binds anew when the worker %s', (end) => {
    const { hub, workers } = two('session')
    const agent = hub.agent()
    agent.call('greet')
    workers[0].respond(workers[0].request())
    if (end === 'dies') workers[0].die()
    else workers[0].drain()
    for (let count = 0; count < 2; count++) agent.call('greet')
    expect(workers[1].received).toEqual(['request', 'request'])
  })

  it('does not outlive the sign-in: a worker that comes back has lost what it had', () => {
    const { hub, workers } = two('session')
    const agent = hub.agent()
    agent.call('greet')
    workers[0].die()
    workers[0].takeAll()
    workers[0].signIn()
    agent.call('greet')
    expect(workers.map(({ received }) => received.length)).toEqual([0, 1])
  })

  it('hands not even a repeatable call of a dead worker to another: what it needs was there [CB-37]', () => {
    const { hub, workers } = two('session')
    const call = hub.agent().call('look')
    workers[0].die()
    expect([call.outcome, workers[1].received]).toEqual(['outcome_unknown', []])
  })

  it('lets another answer for a tool that its worker does not have', () => {
    const hub = scenario()
    const setup = { affinity: 'session', concurrency: 4 } as const
    const both = { ...setup, definitions: tools('greet', 'wave') }
    const [first, second] = [
      hub.worker('greeter', both),
      hub.worker('greeter', { ...setup, definitions: tools('greet') }),
    ]
    const agent = hub.agent()
    hub.agent('other').call('greet')
    agent.call('greet')
    agent.call('wave')
    agent.call('greet')
    expect([first.received.length, second.received.length]).toEqual([2, 2])
  })

  it('is forgotten with the session', () => {
    const { hub, workers } = two('session')
    const agent = hub.agent()
    agent.call('greet')
    workers[0].respond(workers[0].request())
    agent.close()
    hub.advance(10_000)
    workers[0].takeAll()
    hub.agent().call('greet')
    expect(workers.map(({ received }) => received.length)).toEqual([0, 1])
  })

  it('of a principal is forgotten with its last session', () => {
    const { hub, workers } = two('principal')
    const [one, two_] = ['one', 'two'].map((session) => hub.agent('same', { session }))
    one!.call('greet')
    workers[0].respond(workers[0].request())
    one!.close()
    hub.advance(10_000)
    workers[0].takeAll()
    two_!.call('greet')
    expect(workers.map(({ received }) => received.length)).toEqual([1, 0])
    two_!.close()
    workers[0].takeAll()
    hub.advance(10_000)
    workers[0].takeAll()
    hub.agent('same').call('greet')
    expect(workers.map(({ received }) => received.length)).toEqual([0, 1])
  })

  it('of a nested call is that of the one on whose behalf it is made', () => {
    const { hub, workers } = two('principal')
    const caller = hub.worker('caller', { definitions: tools('ask') })
    hub.agent('other').call('greet')
    const agent = hub.agent('same')
    agent.call('greet')
    agent.call('ask')
    caller.call('greet', { parent: caller.request().id })
    expect(workers.map(({ received }) => received.length)).toEqual([1, 2])
  })
})

describe('a definition that nobody serves any more', () => {
  it('ends what waits for it after the grace, though the service is up', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1, definitions: tools('greet', 'wave') })
    const agent = hub.agent()
    agent.call('greet')
    const waiting = agent.call('wave')
    worker.update(tools('greet'))
    hub.advance(5_000)
    expect(waiting.outcome).toBe('unavailable')
  })

  it('does not hold up what its session waits for besides', () => {
    const hub = scenario()
    const worker = hub.worker('greeter', { concurrency: 1, definitions: tools('greet', 'wave') })
    const agent = hub.agent()
    agent.call('greet')
    agent.call('wave')
    agent.call('greet', { idempotencyKey: 'behind' })
    const request = worker.request()
    worker.update(tools('greet', tool('new')))
    hub.advance(5_000)
    worker.respond(request)
    expect(worker.request().idempotencyKey).toBe('behind')
  })
})

describe('a call that its worker still runs from before', () => {
  it('holds up the calls behind it no longer than it waits itself', () => {
    const hub = scenario()
    const definitions = tools(readOnly('look'))
    const worker = hub.worker('finder', { definitions, concurrency: 2 })
    const agent = hub.agent()
    const first = agent.call('look')
    const request = worker.request()
    hub.step({ type: 'peer_lost', peer: worker.peer })
    agent.call('look', { idempotencyKey: 'behind' })
    worker.signIn({ held: [request.id] })
    worker.takeAll()
    first.cancel()
    expect(worker.request().idempotencyKey).toBe('behind')
  })
})
