import { describe, expect, it } from 'vitest'
import { TooBusyError } from '../../src/http/answers.js'
import { SharedConnections } from '../../src/http/shared-connections.js'
import { FakeHub, identity } from '../mcp/fake-hub.js'

function shared() {
  const hub = new FakeHub()
  const clock = { now: 0 }
  return { hub, clock, connections: new SharedConnections(hub, () => clock.now) }
}
const listener = () => {
  const heard: unknown[] = []
  return {
    heard,
    listChanged: (kind: string, scope: string) => heard.push(`${kind} of ${scope}`),
    resourceUpdated: (uri: string) => heard.push(uri),
  }
}
const idleMs = 1_800_000

describe('SharedConnections', () => {
  it('gives requests of one identity the same connection, and others another', () => {
    const { hub, connections } = shared()
    const first = connections.acquire(identity)
    expect(connections.acquire({ ...identity }).connection).toBe(first.connection)
    connections.acquire({ ...identity, roles: ['operator'] })
    connections.acquire({ ...identity, services: ['qda'] })
    connections.acquire({ ...identity, view: { filters: [], mode: 'search', searchAboveTokens: 0, pinned: [] } })
    connections.acquire({ ...identity, credential: 'tok:00000001' })
    expect(hub.connections).toHaveLength(5)
  })

  it('counts those that no request uses apart: nobody is connected there', () => {
    const { connections } = shared()
    const [first, second] = [connections.acquire(identity), connections.acquire(identity)]
    connections.acquire({ ...identity, roles: ['operator'] }).release()
    expect([connections.size, connections.keptCount]).toEqual([2, 1])
    first.release()
    expect(connections.keptCount).toBe(1)
    second.release()
    expect(connections.keptCount).toBe(2)
  })

  it('closes it after it was idle for long, not before and not while in use', () => {
    const { hub, clock, connections } = shared()
    const lease = connections.acquire(identity)
    clock.now += idleMs
    connections.sweep()
    lease.release()
    lease.release()
    clock.now += idleMs - 1
    connections.sweep()
    expect(hub.live).toHaveLength(1)
    clock.now += 1
    connections.sweep()
    expect(hub.live).toHaveLength(0)
    expect(connections.size).toBe(0)
  })

  it('closes it with the token of its requests that lasts longest, and tells those that use it', () => {
    const { hub, clock, connections } = shared()
    const ended: string[] = []
    connections.acquire({ ...identity, until: 1_000 }).onEnded(() => ended.push('first'))
    const second = connections.acquire({ ...identity, until: 2_000 })
    second.onEnded(() => ended.push('second'))
    second.release()
    clock.now = 1_999
    connections.sweep()
    expect(ended).toEqual([])
    clock.now = 2_000
    connections.sweep()
    expect([hub.live, ended]).toEqual([[], ['first']])
  })

  it('tells those that use it when the hub lets it go, once', () => {
    const { hub, connections } = shared()
    const ended: string[] = []
    connections.acquire(identity).onEnded(() => ended.push('told'))
    hub.connections[0]!.listener.ended()
    hub.connections[0]!.listener.ended()
    expect([hub.live, ended, connections.size]).toEqual([[], ['told'], 0])
    expect(connections.acquire(identity).connection).toBe(hub.live[0])
  })

  it('watches a resource as long as anybody listens for it', () => {
    const { hub, connections } = shared()
    const [one, two] = [connections.acquire(identity), connections.acquire(identity)]
    const [first, second] = [listener(), listener()]
    one.listen(first, ['a://b', 'a://b'])
    two.listen(second, ['a://b'])
    const connection = hub.connections[0]!
    one.release()
    expect(connection.subscriptions).toEqual(new Set(['a://b']))
    connection.listener.resourceUpdated('a://b')
    connection.listChanged('tools')
    expect([first.heard, second.heard]).toEqual([[], ['a://b', 'tools of session', 'tools of principal']])
    two.release()
    expect(connection.subscriptions.size).toBe(0)
  })

  it('holds so many and no more: the one that was idle longest makes room', () => {
    const { hub, clock, connections } = shared()
    const leases = Array.from({ length: 1024 }, (_, index) =>
      connections.acquire({ ...identity, principal: `agent:${index % 8}`, session: `${index}` }),
    )
    expect(() => connections.acquire({ ...identity, session: 'one more' })).toThrow(TooBusyError)
    leases[7]!.release()
    clock.now += 1
    leases[3]!.release()
    connections.acquire({ ...identity, session: 'one more' })
    expect(hub.connections.filter(({ closed }) => closed)).toEqual([leases[7]!.connection])
    expect(connections.size).toBe(1024)
  })

  it('lets one principal have so many, and then end its own', () => {
    const { hub, connections } = shared()
    connections.acquire({ ...identity, principal: 'agent:other' }).release()
    for (let index = 0; index < 300; index++) connections.acquire({ ...identity, session: `${index}` }).release()
    expect(connections.size).toBe(257)
    expect(hub.connections[0]!.closed).toBe(false)
  })
})
