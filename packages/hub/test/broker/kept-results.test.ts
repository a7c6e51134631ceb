import { keeperOf, keptUri } from '@callboard/protocol'
import { describe, expect, it } from 'vitest'
import { type ScenarioAgent, type ScenarioHub, type ScenarioWorker, scenario, tool, tools } from './scenario.js'

const uriAt = ({ service, instance }: ScenarioWorker): string =>
  keptUri({ service, keeper: keeperOf(instance), rest: 'id/0' })
const read = (agent: ScenarioAgent, uri: string) => agent.call(uri, { method: 'resources/read' })

function replicas(hub: ScenarioHub, setup: Parameters<ScenarioHub['worker']>[1] = {}) {
  return ['a', 'b', 'c'].map((instance) => hub.worker('greeter', { instance, ...setup }))
}

describe('a kept result', () => {
  it.each(['none', 'session', 'principal'] as const)(
    'is read from the instance that keeps it, with affinity %s [CB-101]',
    (affinity) => {
      const hub = scenario()
      const workers = replicas(hub, { affinity })
      const agent = hub.agent()
      agent.call('greet')
      workers[0]!.respond(workers[0]!.request())
      for (const keeper of [workers[2]!, workers[1]!, workers[2]!]) {
        const reading = read(agent, uriAt(keeper))
        const request = keeper.request()
        expect(request).toMatchObject({ method: 'resources/read', name: uriAt(keeper) })
        keeper.respond(request, 'part')
        expect(reading.outcome).toBe('result "part"')
      }
      // Nor does reading bind anybody.
      agent.call('greet')
      const bound = affinity === 'none' ? workers.find(({ received }) => received.length > 0) : workers[0]
      expect(bound?.received).toEqual(['request'])
    },
  )

  it('is read from an instance whose version is not the listed one [CB-101]', () => {
    const hub = scenario()
    const old = hub.worker('greeter', { version: '1.0.0', definitions: tools('wave') })
    hub.worker('greeter', { version: '2.0.0', definitions: tools('greet') })
    const reading = read(hub.agent(), uriAt(old))
    old.respond(old.request(), 'part')
    expect(reading.outcome).toBe('result "part"')
  })

  it('waits for a credit of its instance, though another is free', () => {
    const hub = scenario()
    const [keeper, other] = [hub.worker('greeter', { concurrency: 1 }), hub.worker('greeter')]
    const agent = hub.agent()
    agent.call('greet')
    const busy = keeper.request()
    const reading = read(agent, uriAt(keeper))
    expect([keeper.received, other.received]).toEqual([[], []])
    keeper.respond(busy)
    keeper.respond(keeper.request(), 'part')
    expect(reading.outcome).toBe('result "part"')
  })

  it('is in no list, and nobody can claim its scheme [CB-101]', () => {
    const hub = scenario()
    const read = { name: 'x' }
    const worker = hub.stranger('greeter', {
      definitions: {
        ...tools('greet'),
        resources: [{ uri: 'callboard-result://greeter/x', ...read }],
        resourceTemplates: [{ uriTemplate: 'Callboard-Result://{x}', ...read }],
      },
    })
    const { body } = worker.signIn()
    const { refused } = JSON.parse(Buffer.from(body).toString())
    expect(refused).toMatchObject([
      { kind: 'resource', code: 'invalid' },
      { kind: 'resourceTemplate', code: 'invalid' },
    ])
    const { identity } = hub.agent()
    expect(hub.broker.list('resource', identity, 'session')).toEqual([])
    expect(hub.broker.list('resourceTemplate', identity, 'session')).toEqual([])
  })
})

describe('there is no such resource, at once [CB-102]', () => {
  it('when the instance has gone, though a replica is there', () => {
    const hub = scenario()
    const [gone, other] = replicas(hub)
    gone!.die()
    expect(read(hub.agent(), uriAt(gone!)).outcome).toBe('unknown')
    expect(other!.received).toEqual([])
  })

  it('when the instance leaves', () => {
    const hub = scenario()
    const worker = hub.worker('greeter')
    const agent = hub.agent()
    const running = agent.call('greet')
    worker.drain()
    expect(read(agent, uriAt(worker)).outcome).toBe('unknown')
    worker.takeAll().forEach((message) => {
      if (message.type === 'request') worker.respond(message)
    })
    expect(running.outcome).toBe('result "done"')
  })

  it('for whom the service does not exist', () => {
    const hub = scenario()
    const hidden = tool('decide', { _meta: { 'callboard/roles': ['operator'] } })
    const [open, secret] = [hub.worker('greeter'), hub.worker('secret', { definitions: tools(hidden) })]
    const outsider = hub.agent('http', { services: ['other'] })
    expect(read(outsider, uriAt(open)).outcome).toBe('unknown')
    expect(read(hub.agent('ada'), uriAt(secret)).outcome).toBe('unknown')
    const operator = hub.agent('op', { principal: 'operator:op', roles: ['operator'] })
    const reading = read(operator, uriAt(secret))
    secret.respond(secret.request(), 'part')
    expect(reading.outcome).toBe('result "part"')
  })

  it.each([
    'callboard-result://greeter',
    'callboard-result://greeter/a/id/0',
    'CALLBOARD-RESULT://greeter/a/id/0',
    `callboard-result://other/${keeperOf('a')}/id/0`,
  ])('under %s', (uri) => {
    const hub = scenario()
    hub.worker('greeter', { instance: 'a' })
    expect(read(hub.agent(), uri).outcome).toBe('unknown')
  })

  it('for a worker that reads, as `not_found`', () => {
    const hub = scenario()
    const [keeper, reader] = [hub.worker('greeter'), hub.worker('reader', { definitions: tools('ask') })]
    hub.agent().call('ask')
    const parent = reader.request().id
    const first = reader.call(uriAt(keeper), { method: 'resources/read', parent })
    const request = keeper.request()
    expect(request.caller).toMatchObject({ principal: 'worker:reader', onBehalfOf: 'agent:main' })
    keeper.respond(request, 'part')
    expect(reader.result(first)).toBe('part')
    keeper.die()
    expect(reader.result(reader.call(uriAt(keeper), { method: 'resources/read', parent }))).toBe('not_found')
  })
})

describe('when the connection breaks under a read [CB-102]', () => {
  it('it goes again to the same instance, if that comes back', () => {
    const hub = scenario()
    const [keeper, other] = replicas(hub)
    const reading = read(hub.agent(), uriAt(keeper!))
    keeper!.request()
    keeper!.die()
    expect([reading.outcome, other!.received]).toEqual(['open', []])
    keeper!.signIn()
    keeper!.respond(keeper!.request(), 'part')
    expect(reading.outcome).toBe('result "part"')
  })

  it('and the instance stays away, there is no such resource after the grace', () => {
    const hub = scenario()
    const [keeper, reader] = [hub.worker('greeter'), hub.worker('reader', { definitions: tools('ask') })]
    const agent = hub.agent()
    agent.call('ask')
    const nested = reader.call(uriAt(keeper), { method: 'resources/read', parent: reader.request().id })
    const reading = read(agent, uriAt(keeper))
    keeper.die()
    hub.advance(5_000)
    expect(reading.outcome).toBe('unknown')
    expect(reader.result(nested)).toBe('not_found')
  })

  it('but a silent instance may still have it: then it is `unavailable`', () => {
    const hub = scenario()
    const keeper = hub.worker('greeter', { beats: false })
    hub.advance(3_000)
    const reading = read(hub.agent(), uriAt(keeper))
    hub.advance(5_000)
    expect(reading.outcome).toBe('unavailable')
  })
})
