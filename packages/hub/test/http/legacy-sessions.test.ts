import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { TooBusyError } from '../../src/http/answers.js'
import { LegacySessions } from '../../src/http/legacy-sessions.js'
import { legacySessionsMax } from '../../src/http/limits.js'
import { SessionSeal } from '../../src/http/session-seal.js'
import { FakeHub, frontOf, identity } from '../mcp/fake-hub.js'

function legacySessions() {
  const hub = new FakeHub()
  const clock = { now: 0 }
  return { hub, clock, sessions: new LegacySessions(frontOf(hub), new SessionSeal(randomBytes(32)), () => clock.now) }
}
const idleMs = 1_800_000
const clientInfo = { name: 'c', version: '1' }

describe('LegacySessions', () => {
  it('ends a session after it was idle for long, not before and not while a request is open', async () => {
    const { hub, clock, sessions } = legacySessions()
    const session = await sessions.create('s', identity)
    session.enter()
    clock.now += idleMs
    sessions.sweep()
    session.transport.sessionId = 's'
    session.leave()
    clock.now += idleMs - 1
    sessions.sweep()
    expect(sessions.find('s', identity)).toBe(session)
    clock.now += 1
    sessions.sweep()
    expect(sessions.find('s', identity)).toBeUndefined()
    expect(hub.live).toEqual([])
  })

  it('does not open again by its id what has ended by silence', async () => {
    const { clock, sessions } = legacySessions()
    const id = sessions.newId({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, identity)
    const session = await sessions.reach(id, identity)
    expect(session).toBeDefined()
    clock.now += idleMs
    sessions.sweep()
    expect(await sessions.reach(id, identity)).toBeUndefined()
  })

  it('is at hand for the caller that has reached it, and for no other object that looks the same', async () => {
    const { sessions } = legacySessions()
    const session = await sessions.create('s', identity)
    const caller = { ...identity, session: 'without' }
    expect(sessions.reached('s', caller)).toBeUndefined()
    sessions.remember('s', caller)
    expect(sessions.reached('s', caller)).toBe(session)
    expect(sessions.reached('s', { ...caller })).toBeUndefined()
    expect(sessions.reached('other', caller)).toBeUndefined()
  })

  it('is at hand no more once it has ended', async () => {
    const { sessions } = legacySessions()
    await sessions.create('s', identity)
    sessions.remember('s', identity)
    sessions.close()
    expect(sessions.reached('s', identity)).toBeUndefined()
  })

  it('lasts as long as the token of the caller that reaches it', async () => {
    const { clock, sessions } = legacySessions()
    await sessions.create('s', { ...identity, until: 1_000 })
    const renewed = { ...identity, until: 2_000 }
    sessions.remember('s', renewed)
    expect(sessions.reached('s', renewed)).toBeDefined()
    clock.now = 1_999
    sessions.sweep()
    expect(sessions.reached('s', renewed)).toBeDefined()
    clock.now = 2_000
    sessions.sweep()
    expect(sessions.reached('s', renewed)).toBeUndefined()
  })

  it('is not to be had before it is whole', async () => {
    const { hub, sessions } = legacySessions()
    const id = sessions.newId({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, identity)
    const first = sessions.reach(id, identity)
    const second = await sessions.reach(id, identity)
    expect(second?.transport.sessionId).toBe(id)
    expect(await first).toBe(second)
    expect(hub.connections).toHaveLength(1)
  })

  it('does not open again what made room for another', async () => {
    const { sessions } = legacySessions()
    const newId = () => sessions.newId({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo }, identity)
    const ids = Array.from({ length: 257 }, newId)
    for (const id of ids) expect(await sessions.reach(id, identity)).toBeDefined()
    expect(sessions.size).toBe(256)
    expect(await sessions.reach(ids[0]!, identity)).toBeUndefined()
    expect(await sessions.reach(ids[1]!, identity)).toBeDefined()
  })

  it('opens nothing again that the SDK does not take for an introduction', async () => {
    const { hub, sessions } = legacySessions()
    const id = sessions.newId({ protocolVersion: '2025-11-25', capabilities: { roots: 1 }, clientInfo }, identity)
    expect(await sessions.reach(id, identity)).toBeUndefined()
    expect([sessions.size, hub.live]).toEqual([0, []])
  })

  it.each([
    { principal: 'agent:other' },
    { roles: ['agent', 'operator'] },
    { group: 'other' },
    { services: ['qda'] },
    { credential: 'tok:00000002' },
    { session: 'another' },
  ] as const)('is unknown to whoever is not the one that opened it: %j', async (other) => {
    const { sessions } = legacySessions()
    const session = await sessions.create('s', { ...identity, credential: 'tok:00000001' })
    expect(sessions.find('s', { ...identity, credential: 'tok:00000001' })).toBe(session)
    expect(sessions.find('s', { ...identity, credential: 'tok:00000001', ...other })).toBeUndefined()
  })

  it('ends with the token of its requests that lasts longest, open or not', async () => {
    const { hub, clock, sessions } = legacySessions()
    const session = await sessions.create('s', { ...identity, until: 1_000 })
    session.enter()
    expect(sessions.find('s', { ...identity, until: 2_000 })).toBe(session)
    expect(sessions.find('s', { ...identity, until: 500 })).toBe(session)
    clock.now = 1_999
    sessions.sweep()
    expect(hub.live).toHaveLength(1)
    clock.now = 2_000
    sessions.sweep()
    expect(hub.live).toEqual([])
  })

  it('ends when the hub lets it go', async () => {
    const { hub, sessions } = legacySessions()
    await sessions.create('s', identity)
    hub.connections[0]!.listener.ended()
    expect(hub.live).toEqual([])
    expect(sessions.size).toBe(0)
  })

  it('holds so many and no more: the one that was idle longest makes room', async () => {
    const { hub, sessions } = legacySessions()
    const of = (index: number) => ({ ...identity, principal: `agent:${index % 16}` })
    for (let index = 0; index < legacySessionsMax; index++) (await sessions.create(`${index}`, of(index))).enter()
    await expect(sessions.create('one more', identity)).rejects.toThrow(TooBusyError)
    const idle = sessions.find('7', of(7))!
    idle.transport.sessionId = '7'
    idle.leave()
    await sessions.create('one more', identity)
    expect(hub.live).toHaveLength(legacySessionsMax)
    expect(sessions.find('7', of(7))).toBeUndefined()
    sessions.close()
    expect(hub.live).toEqual([])
  })

  it('lets one principal have so many, and then end its own', async () => {
    const { hub, clock, sessions } = legacySessions()
    await sessions.create('other', { ...identity, principal: 'agent:other' })
    for (let index = 0; index < 300; index++) {
      clock.now += 1
      await sessions.create(`${index}`, identity)
    }
    expect(hub.live).toHaveLength(257)
    expect(sessions.find('other', { ...identity, principal: 'agent:other' })).toBeDefined()
    expect(sessions.find('43', identity)).toBeUndefined()
    expect(sessions.find('44', identity)).toBeDefined()
  })
})
