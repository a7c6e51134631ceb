import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Introduction, introductionIn, SessionSeal } from '../../src/http/session-seal.js'
import type { Identity } from '../../src/port.js'
import { identity } from '../mcp/fake-hub.js'

const introduction: Introduction = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: { form: {} }, roots: { listChanged: true } },
  clientInfo: { name: 'Ünïcode', version: '1' },
}
const key = randomBytes(32)
const day = 24 * 60 * 60_000
const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

describe('SessionSeal', () => {
  it('makes ids that a later hub with the same key can open', () => {
    const id = new SessionSeal(key).seal(introduction, identity)!
    expect(new SessionSeal(key).open(id, identity)).toEqual(introduction)
  })

  it('makes ids of visible ASCII, one unlike the other, that show nothing of what they say', () => {
    const seal = new SessionSeal(key)
    const ids = Array.from({ length: 100 }, () => seal.seal(introduction, identity)!)
    expect(new Set(ids).size).toBe(100)
    for (const id of ids) {
      expect(id).toMatch(/^[\x21-\x7e]{1,2048}$/)
      expect(Buffer.from(id, 'base64url').toString('latin1')).not.toContain('elicitation')
    }
  })

  it.each([
    { principal: 'agent:other' },
    { credential: 'tok:00000002' },
    { run: { id: 'run-1', attempt: 1, triggerDepth: 0 } },
  ] satisfies Partial<Identity>[])('makes ids that are nothing to anybody else: %j', (other) => {
    const seal = new SessionSeal(key)
    const owner = { ...identity, credential: 'tok:00000001' }
    const id = seal.seal(introduction, owner)!
    expect(seal.open(id, owner)).toEqual(introduction)
    expect(seal.open(id, { ...owner, ...other })).toBeUndefined()
  })

  it('is for the one who holds the id, whatever that one may do now', () => {
    const seal = new SessionSeal(key)
    const id = seal.seal(introduction, identity)!
    const other: Identity = { ...identity, session: 'another', roles: [], services: ['qda'], group: 'other' }
    expect(seal.open(id, other)).toEqual(introduction)
  })

  it('opens nothing that was sealed with another key', () => {
    const id = new SessionSeal(randomBytes(32)).seal(introduction, identity)!
    expect(new SessionSeal(key).open(id, identity)).toBeUndefined()
  })

  it('opens nothing that was changed in any place, cut or prolonged', () => {
    const seal = new SessionSeal(key)
    // Of each length that leaves another number of bits in the last character.
    for (const name of ['a', 'ab', 'abc']) {
      const id = seal.seal({ ...introduction, clientInfo: { name, version: '1' } }, identity)!
      for (let at = 0; at < id.length; at++) {
        const others = at === id.length - 1 ? [...characters] : [id[at] === 'A' ? 'B' : 'A']
        for (const other of others.filter((each) => each !== id[at])) {
          expect(seal.open(id.slice(0, at) + other + id.slice(at + 1), identity)).toBeUndefined()
        }
        expect(seal.open(id.slice(0, at), identity)).toBeUndefined()
      }
      for (const more of ['A', '=', ' ', '.', 'AAAA']) expect(seal.open(id + more, identity)).toBeUndefined()
    }
  })

  it.each([
    '',
    '-',
    'nonsense',
    '00000000-0000-4000-8000-000000000000',
    'A'.repeat(38),
    'A'.repeat(10_000),
    '\u{1f600}',
  ])('opens nothing that it never made: %j', (id) => {
    expect(new SessionSeal(key).open(id, identity)).toBeUndefined()
  })

  it('has no id for a client that says too much of itself', () => {
    const seal = new SessionSeal(key)
    const experimental = (bytes: number) => ({
      ...introduction,
      capabilities: { experimental: { x: 'x'.repeat(bytes) } },
    })
    expect(seal.seal(experimental(1_000), identity)).toBeDefined()
    expect(seal.seal(experimental(2_000), identity)).toBeUndefined()
  })

  it('opens no id of a session that was opened 30 days ago', () => {
    const clock = { now: 1_000 }
    const seal = new SessionSeal(key, () => clock.now)
    const id = seal.seal(introduction, identity)!
    clock.now += 30 * day - 1
    expect(seal.open(id, identity)).toEqual(introduction)
    clock.now += 1
    expect(seal.open(id, identity)).toBeUndefined()
  })
})

describe('introductionIn', () => {
  it('leaves out what the hub has no use for', () => {
    const clientInfo = { ...introduction.clientInfo, title: 't', icons: [{ src: 'data:,' }] }
    expect(introductionIn({ ...introduction, clientInfo, _meta: { a: 1 } })).toEqual(introduction)
  })

  it.each([
    undefined,
    null,
    [],
    'x',
    { ...introduction, protocolVersion: 1 },
    { ...introduction, capabilities: [] },
    { ...introduction, clientInfo: undefined },
    { ...introduction, clientInfo: { name: 'n' } },
    { ...introduction, clientInfo: { name: 1, version: '1' } },
  ])('finds none in %j', (params) => {
    expect(introductionIn(params)).toBeUndefined()
  })
})
