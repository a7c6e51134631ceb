import { describe, expect, it } from 'vitest'
import { suspendedCallsPerPrincipalMax } from '../../src/mcp/limits.js'
import { SuspendedCalls } from '../../src/mcp/suspended-calls.js'

const subject = { principal: 'agent:main', method: 'tools/call', argumentsHash: 'h' }

function suspendedCalls() {
  const clock = { now: 1_000 }
  const calls = new SuspendedCalls(() => clock.now)
  const abandoned: string[] = []
  const suspend = (id: string) => calls.suspend({ id, subject, abandon: () => abandoned.push(id) })
  return { clock, calls, abandoned, suspend }
}

const refused = expect.objectContaining({ code: -32602, message: 'Invalid or expired requestState' })

describe('SuspendedCalls', () => {
  it('gives a call back once', () => {
    const { calls, suspend } = suspendedCalls()
    const state = suspend('c1')
    expect(calls.redeem(state, subject).id).toBe('c1')
    expect(() => calls.redeem(state, subject)).toThrow(refused)
  })

  it('tells nothing about the call', () => {
    const { suspend } = suspendedCalls()
    const bytes = Buffer.from(suspend('the-call-id'), 'base64url').toString('latin1')
    expect(bytes).not.toContain('the-call-id')
    expect(bytes).not.toContain('agent:main')
  })

  it('refuses any change of a single bit', () => {
    const { calls, suspend } = suspendedCalls()
    const bytes = Buffer.from(suspend('c1'), 'base64url')
    for (let index = 0; index < bytes.length; index++) {
      const forged = Buffer.from(bytes)
      forged[index]! ^= 1
      expect(() => calls.redeem(forged.toString('base64url'), subject)).toThrow(refused)
    }
    expect(calls.size).toBe(1)
  })

  it.each([undefined, 3, '', 'x', {}, 'A'.repeat(100_000)])('refuses %j', (state) => {
    expect(() => suspendedCalls().calls.redeem(state, subject)).toThrow(refused)
  })

  it.each([{ principal: 'agent:other' }, { method: 'prompts/get' }, { argumentsHash: 'other' }])(
    'refuses it for %j, and keeps it for its owner',
    (change) => {
      const { calls, suspend } = suspendedCalls()
      const state = suspend('c1')
      expect(() => calls.redeem(state, { ...subject, ...change })).toThrow(refused)
      expect(calls.redeem(state, subject).id).toBe('c1')
    },
  )

  it("gives up the oldest of whoever has too many, and nobody else's", () => {
    const { calls, abandoned, suspend } = suspendedCalls()
    const other = { ...subject, principal: 'agent:other' }
    const state = calls.suspend({ id: 'other', subject: other, abandon: () => abandoned.push('other') })
    for (let count = 0; count <= suspendedCallsPerPrincipalMax; count++) suspend(`c${count}`)
    expect(abandoned).toEqual(['c0'])
    expect(calls.redeem(state, other).id).toBe('other')
  })

  it('refuses a state of another hub', () => {
    const state = suspendedCalls().suspend('c1')
    expect(() => suspendedCalls().calls.redeem(state, subject)).toThrow(refused)
  })

  it('gives calls up that nobody came back for', () => {
    const { clock, calls, abandoned, suspend } = suspendedCalls()
    const state = suspend('c1')
    clock.now += 600_000
    expect(() => calls.redeem(state, subject)).toThrow(refused)
    suspend('c2')
    expect(abandoned).toEqual(['c1'])
    expect(calls.size).toBe(1)
  })

  it('holds so many and no more: whoever has most gives up its oldest', () => {
    const { calls, abandoned } = suspendedCalls()
    const suspend = (principal: string, count: number) => {
      for (let index = 0; index < count; index++) {
        const id = `${principal} ${index}`
        calls.suspend({ id, subject: { ...subject, principal }, abandon: () => abandoned.push(id) })
      }
    }
    for (let each = 0; each < 10; each++) suspend(`agent:${each}`, each === 4 ? 1_000 : 999)
    suspend('agent:new', 12)
    expect(calls.size).toBe(10_000)
    expect(abandoned.slice(0, 2)).toEqual(['agent:4 0', 'agent:0 0'])
    expect(abandoned).toHaveLength(3)
  })
})
