import { describe, expect, it } from 'vitest'
import { type ScenarioHub, type ScenarioWorker, scenario, tool, tools } from './scenario.js'

/** Lets every worker answer `count` calls; those of `sick` fail. */
function serve(hub: ScenarioHub, workers: readonly ScenarioWorker[], count: number, sick: readonly ScenarioWorker[]) {
  const agent = hub.agent('load')
  for (let call = 0; call < count * workers.length; call++) {
    agent.call('greet')
    const taker = workers.find(({ received }) => received.length > 0)!
    if (sick.includes(taker)) taker.respond(taker.request(), 'no', true)
    else taker.respond(taker.request())
  }
}

const replicas = (hub: ScenarioHub, count: number) =>
  Array.from({ length: count }, () => hub.worker('greeter', { concurrency: 4 }))
const states = (hub: ScenarioHub) => hub.snapshot.workers.map(({ state }) => state)

describe('a replica that fails where the others do not', () => {
  it('gets no new calls, though it would be free first', () => {
    const hub = scenario()
    const workers = replicas(hub, 3)
    serve(hub, workers, 40, [workers[1]!])
    expect(states(hub)).toEqual(['ready', 'ejected', 'ready'])
    expect(hub.log).toContain('worker_ejected greeter')
    for (let count = 0; count < 8; count++) hub.agent().call('greet')
    expect(workers.map(({ received }) => received.length)).toEqual([4, 0, 4])
  })

  it('is back after 10 s, and away for twice as long when it goes on', () => {
    const hub = scenario()
    const workers = replicas(hub, 2)
    serve(hub, workers, 40, [workers[0]!])
    hub.advance(9_999)
    expect(states(hub)).toEqual(['ejected', 'ready'])
    hub.advance(1)
    expect(states(hub)).toEqual(['ready', 'ready'])
    expect(hub.log).toContain('worker_restored greeter')
    serve(hub, workers, 40, [workers[0]!])
    hub.advance(19_999)
    expect(states(hub)).toEqual(['ejected', 'ready'])
    hub.advance(1)
    expect(states(hub)).toEqual(['ready', 'ready'])
  })

  it('keeps what it has, and its answers count', () => {
    const hub = scenario()
    const workers = replicas(hub, 2)
    const [held] = [hub.agent().call('greet'), hub.agent().call('greet')]
    const [request] = workers.map((worker) => worker.request())
    serve(hub, workers, 40, [workers[0]!])
    expect(states(hub)).toEqual(['ejected', 'ready'])
    workers[0]!.respond(request!)
    expect(held.outcome).toBe('result "done"')
  })

  it('is asked all the same when nobody else is up', () => {
    const hub = scenario()
    const workers = replicas(hub, 2)
    serve(hub, workers, 40, [workers[0]!])
    workers[1]!.die()
    expect(states(hub)).toEqual(['ready'])
    hub.agent().call('greet')
    expect(workers[0]!.received).toEqual(['request'])
  })

  it('is not asked while the others are only busy', () => {
    const hub = scenario()
    const workers = replicas(hub, 2)
    serve(hub, workers, 40, [workers[0]!])
    for (let count = 0; count < 6; count++) hub.agent().call('greet')
    expect(workers.map(({ received }) => received.length)).toEqual([0, 4])
  })

  it('is asked for what waits, as soon as the last of the others is silent', () => {
    const hub = scenario()
    const workers = replicas(hub, 2)
    serve(hub, workers, 40, [workers[0]!])
    for (let count = 0; count < 6; count++) hub.agent().call('greet')
    workers[1]!.beats = false
    hub.advance(2_000)
    expect(states(hub)).toEqual(['ejected', 'suspect'])
    expect(workers.map(({ received }) => received.length)).toEqual([2, 4])
  })

  it('is asked by sessions that belong to it', () => {
    const hub = scenario()
    const setup = { concurrency: 8, affinity: 'session' } as const
    const workers = [hub.worker('greeter', setup), hub.worker('greeter', setup)]
    const bound = hub.agent('0')
    for (let count = 0; count < 20; count++) {
      for (const name of [2 * count, 2 * count + 1]) hub.agent(`${name}`).call('greet')
      workers[1]!.respond(workers[1]!.request())
      workers[0]!.fail(workers[0]!.request(), 'no')
    }
    expect(states(hub)).toEqual(['ejected', 'ready'])
    bound.call('greet')
    hub.agent('new').call('greet')
    expect(workers.map(({ received }) => received.length)).toEqual([1, 1])
  })

  it('is one whose deadlines pass one after the other, too', () => {
    const hub = scenario()
    const definitions = tools(tool('greet', { _meta: { 'callboard/timeoutMs': 1_000 } }))
    const workers = [1, 2].map(() => hub.worker('greeter', { definitions, concurrency: 4 }))
    const agent = hub.agent()
    for (let count = 0; count < 12; count++) {
      agent.call('greet')
      if (workers[1]!.received.includes('request')) workers[1]!.respond(workers[1]!.request())
      for (const cancelled of workers[0]!.takeAll()) {
        if (cancelled.type !== 'request') continue
        hub.advance(1_000)
        workers[0]!.takeAll()
        workers[0]!.respond(cancelled)
      }
    }
    expect(states(hub)).toEqual(['ejected', 'ready'])
  })
})

describe('nobody is ejected', () => {
  it('when all fail alike: then it is the calls', () => {
    const hub = scenario()
    const workers = replicas(hub, 3)
    serve(hub, workers, 40, workers)
    expect(states(hub)).toEqual(['ready', 'ready', 'ready'])
  })

  it('for a few calls', () => {
    const hub = scenario()
    const workers = replicas(hub, 2)
    serve(hub, workers, 19, [workers[0]!])
    expect(states(hub)).toEqual(['ready', 'ready'])
  })

  it('by a session that is bound to it: what it asks for may fail there alone', () => {
    const hub = scenario()
    const setup = { concurrency: 8, affinity: 'session' } as const
    const workers = [hub.worker('greeter', setup), hub.worker('greeter', setup)]
    const [bound, other] = [hub.agent('bound'), hub.agent('other')]
    for (let count = 0; count < 30; count++) {
      for (const agent of [bound, other]) agent.call('greet')
      workers[0]!.fail(workers[0]!.request(), 'no')
      workers[1]!.respond(workers[1]!.request())
    }
    expect(states(hub)).toEqual(['ready', 'ready'])
  })

  it('by those who give their calls no time', () => {
    const hub = scenario()
    const workers = replicas(hub, 2)
    serve(hub, workers, 3, [])
    for (let count = 0; count < 12; count++) {
      hub.agent('hasty').call('greet', { timeoutMs: 1 })
      hub.advance(1)
      for (const worker of workers)
        for (const each of worker.takeAll()) if (each.type === 'request') worker.respond(each)
    }
    expect(states(hub)).toEqual(['ready', 'ready'])
  })

  it('beyond half of the replicas', () => {
    const hub = scenario()
    const workers = replicas(hub, 5)
    serve(hub, workers, 60, workers.slice(0, 2))
    serve(hub, workers, 60, workers.slice(0, 3))
    expect(states(hub).filter((state) => state === 'ejected')).toHaveLength(2)
  })
})
