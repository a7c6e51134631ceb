import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { argumentBytes } from '../../src/audit/argument-bytes.js'
import { type Answer, callMembers, type RecordingMode } from '../../src/audit/call-members.js'
import { parsedBytesMax } from '../../src/audit/limits.js'
import { withoutFields } from '../../src/audit/redacted-fields.js'
import { environmentSecrets, redacted, redactionOf } from '../../src/audit/redaction.js'
import type { CallRecord } from '../../src/broker/call-record.js'

function lineOf(params: string, recording: RecordingMode, answer?: Answer) {
  const caller = { session: 'a-session', principal: 'agent:ada', roles: ['agent'], depth: 0 }
  const record = {
    id: '1',
    method: 'tools/call',
    tool: 'echo',
    body: Buffer.from(params),
    caller,
  } as unknown as CallRecord
  return JSON.parse(`{${callMembers(record, recording, redactionOf([]), answer)}}`)
}

describe('the bytes of the arguments', () => {
  it('are those of any JSON, wherever they stand in it and whatever is beside them', () => {
    const space = fc.constantFrom('', ' ', '\n\t ')
    const member = fc.tuple(fc.string(), fc.jsonValue(), space)
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(member), fc.array(member), space, (value, before, after, gap) => {
        const text = ([name, each, space]: [string, unknown, string]) =>
          `${space}${JSON.stringify(name)}${space}:${space}${JSON.stringify(each)}${space}`
        const all = [...before.map(text), `"arguments"${gap}:${gap}${JSON.stringify(value)}${gap}`, ...after.map(text)]
        const params = `${gap}{${all.join(',')}}`
        const expected = JSON.stringify(JSON.parse(params).arguments)
        expect(String(Buffer.from(argumentBytes(Buffer.from(params))!))).toBe(expected)
      }),
    )
  })

  it('of anything else harm nobody, and are a part of it', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const found = argumentBytes(Buffer.concat([Buffer.from('{"arguments":'), bytes]))
        expect(found === undefined || found.byteLength <= bytes.byteLength).toBe(true)
      }),
    )
  })
})

describe('a line', () => {
  it('has nothing of the arguments where the policy says none, and their hash where it says so', () => {
    expect(lineOf('{"arguments":{"a":1}}', { kind: 'none' })).not.toHaveProperty('argumentsHash')
    const argumentsHash = createHash('sha256').update('{"a":1}').digest('hex')
    expect(lineOf('{"arguments":{"a":1}}', { kind: 'hash' })).toMatchObject({ argumentsHash })
  })

  it('has the hash alone of what is too long to be looked at', () => {
    const line = lineOf(JSON.stringify({ arguments: { a: 'x'.repeat(parsedBytesMax) } }), { kind: 'full' })
    expect(line).toMatchObject({ argumentsHash: expect.any(String), argumentsCut: parsedBytesMax + 8 })
    expect(line).not.toHaveProperty('arguments')
  })

  it('says so of arguments that are not JSON', () => {
    expect(lineOf('{"arguments":{"a":}}', { kind: 'full' }).arguments).toBe('[not JSON]')
  })

  it.each<[Answer | undefined, unknown]>([
    ['accepted', { input: 'accepted' }],
    ['declined', { input: 'declined' }],
    [undefined, undefined],
  ])('has what a person answered: %s', (answer, approval) => {
    expect(lineOf('{}', { kind: 'hash' }, answer).approval).toEqual(approval)
  })

  it('has 16 digits of the hash of the session', () => {
    expect(lineOf('{}', { kind: 'hash' }).session).toMatch(/^[0-9a-f]{16}$/)
  })
})

describe('what is left out', () => {
  const deep = (levels: number, wrap: (inner: unknown) => unknown) => {
    let value: unknown = 'secret text'
    for (let level = 0; level < levels; level++) value = wrap(value)
    return value
  }
  const ways = [
    ['objects', (inner: unknown) => ({ a: inner })],
    ['lists', (inner: unknown) => [inner]],
  ] as const

  it.each(ways)('is all that is deeper than 64 levels: %s', (_, wrap) => {
    const { redact } = redactionOf([])
    const fields = { keys: ['pin'], pointers: [] }
    for (const clean of [(value: unknown) => redact(value, true), (value: unknown) => withoutFields(value, fields)]) {
      expect(JSON.stringify(clean(deep(64, wrap)))).toContain('secret text')
      expect(JSON.stringify(clean(deep(65, wrap)))).not.toContain('secret text')
      expect(JSON.stringify(clean(deep(65, wrap)))).toContain(redacted)
    }
  })

  it('is the longer of two secrets of which one begins with the other', () => {
    const { redact } = redactionOf(['passphrase', 'passphrase-and-more'])
    expect(redact('passphrase-and-more passphrase', false)).toBe(`${redacted} ${redacted}`)
  })

  it('is nothing of null and of numbers', () => {
    const value = { a: null, b: [null, 1, true], pin: null }
    expect(redactionOf([]).redact(value, true)).toEqual(value)
    expect(withoutFields(value, { keys: ['pin'], pointers: ['/b/0'] })).toEqual({
      a: null,
      b: [redacted, 1, true],
      pin: redacted,
    })
  })

  it('is a password of a URL also where it is not well encoded', () => {
    expect(environmentSecrets({ DATABASE_URL: 'postgres://me:half%zz@host/db' })).toEqual(['half%zz', 'half%zz'])
  })
})
