import { describe, expect, it } from 'vitest'
import { TooBusyError } from '../../src/http/answers.js'
import { LegacySessions } from '../../src/http/legacy-sessions.js'
import { FakeHub, frontOf, identity } from '../mcp/fake-hub.js'

function legacySessions() {
  const hub = new FakeHub()
  const clock = { now: 0 }
  return { hub, clock, sessions: new LegacySessions(frontOf(hub), () => clock.now) }
}
const idleMs = 1_800_000

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
    expect(sessions.find('s', 'agent:main')).toBe(session)
    clock.now += 1
    sessions.sweep()
    expect(sessions.find('s', 'agent:main')).toBeUndefined()
    expect(hub.live).toEqual([])
  })

  it('is unknown to any other principal', async () => {
    const { sessions } = legacySessions()
    await sessions.create('s', identity)
    expect(sessions.find('s', 'agent:other')).toBeUndefined()
  })

  it('holds so many and no more: the one that was idle longest makes room', async () => {
    const { hub, sessions } = legacySessions()
    const of = (index: number) => ({ ...identity, principal: `agent:${index % 8}` })
    for (let index = 0; index < 1024; index++) (await sessions.create(`${index}`, of(index))).enter()
    await expect(sessions.create('one more', identity)).rejects.toThrow(TooBusyError)
    const idle = sessions.find('7', 'agent:7')!
    idle.transport.sessionId = '7'
    idle.leave()
    await sessions.create('one more', identity)
    expect(hub.live).toHaveLength(1024)
    expect(sessions.find('7', 'agent:7')).toBeUndefined()
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
    expect(sessions.find('other', 'agent:other')).toBeDefined()
    expect(sessions.find('43', 'agent:main')).toBeUndefined()
    expect(sessions.find('44', 'agent:main')).toBeDefined()
  })
})
