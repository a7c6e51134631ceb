import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEnvelope } from '../../src/shim/envelope.js'
import { glance } from '../../src/shim/glance.js'

const envelopeOf = (text: string) => readEnvelope(Buffer.from(`${text}\n`))
const seen = (text: string) => {
  const { kind, id, method } = glance(Buffer.from(`${text}\n`)) as Record<string, unknown>
  return { kind, id, method }
}

/** What it is to somebody who parses it. */
function parsed(text: string): object {
  const value = JSON.parse(text) as Record<string, unknown> | null
  if (Array.isArray(value)) return { kind: 'batch' }
  if (typeof value !== 'object' || value === null) return { kind: 'unreadable' }
  const { id, method, error } = value
  const hasId = typeof id === 'string' || Number.isSafeInteger(id)
  if (typeof method === 'string') return hasId ? { kind: 'request', id, method } : { kind: 'notification', method }
  if (method !== undefined) return { kind: 'unreadable' }
  if (hasId) return { kind: 'response', id }
  return id === null && error !== undefined ? { kind: 'fault' } : { kind: 'unreadable' }
}

const long = 'x'.repeat(2_000)

describe('an envelope', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}', { id: 7, method: 'tools/call' }],
    ['{"method":"tools/call","params":{},"jsonrpc":"2.0","id":"a b"}', { id: 'a b', method: 'tools/call' }],
    ['{"jsonrpc":"2.0","id":0,"result":{}}', { id: 0, method: undefined }],
    ['{"method":"notifications/progress","params":{"id":3}}', { id: undefined, method: 'notifications/progress' }],
    [String.raw`{"result":"${'x'.repeat(99)}\",\"id\":9,\"","id":1}`, { id: 1, method: undefined }],
    [String.raw`{"result":"${'x'.repeat(99)}\\\\","id":1}`, { id: 1, method: undefined }],
    [' {\t"id" : 7 , "result" : [ ] } \r', { id: 7, method: undefined }],
  ])('is read from %s', (text, envelope) => {
    expect(envelopeOf(text)).toEqual(envelope)
  })

  it.each([
    ['an argument that looks like one', '{"id":1,"result":{"jsonrpc":"2.0","id":9,"method":"x"}}', 1],
    ['one in a text', String.raw`{"id":1,"result":"{\"id\":9}\",\"id\":9}"}`, 1],
    ['one behind an escaped quote', String.raw`{"id":1,"result":"\\\",\"id\":9,\"x\":\""}`, 1],
    ['one behind a backslash at the end of a text', String.raw`{"result":"\\","id":1}`, 1],
    ['one behind an escaped quote far inside', String.raw`{"result":"${'x'.repeat(99)}\",\"id\":9,\"","id":1}`, 1],
    ['one behind a quote that only looks escaped', String.raw`{"result":"${'x'.repeat(99)}\\\\","id":1}`, 1],
    ['one in the name of a member', String.raw`{"id\":9,\"x":0,"id":1}`, 1],
    ['one deep in lists', '{"result":[[{"id":9}],["id",9]],"id":1}', 1],
    ['braces in a text', '{"id":1,"result":"}}}}{{{"}', 1],
    ['a second id, which counts', '{"id":1,"result":{},"id":2}', 2],
    ['a second id behind much', `{"id":1,"result":{"a":"${long}"},"id":2,"x":{}}`, 2],
  ])('is not mistaken: %s', (_, text, id) => {
    expect(seen(text)).toMatchObject({ kind: 'response', id })
    expect(seen(text)).toEqual({ id: undefined, method: undefined, ...parsed(text) })
  })

  it.each([
    ['a second method, which counts', '{"id":1,"method":"tools/call","params":{},"method":"ping"}', 'ping'],
    ['a method behind a result', '{"id":1,"result":{},"method":"tools/call"}', 'tools/call'],
    ['a method with escapes in its name', String.raw`{"id":1,"result":{},"\u006dethod":"tools/call"}`, 'tools/call'],
    ['an id with escapes in its name', String.raw`{"method":"tools/call","i\u0064":1}`, 'tools/call'],
  ])('is not mistaken: %s', (_, text, method) => {
    expect(seen(text)).toEqual({ kind: 'request', id: 1, method })
  })

  it.each([
    ['', 'null', '7', '"text"', '[]', '{}', '{"jsonrpc":"2.0"}'],
    ['{"id":null,"result":{}}', '{"id":1.5,"result":{}}', '{"id":1e3,"result":{}}', '{"id":-1,"result":{}}'],
    ['{"id":9007199254740993,"result":{}}', '{"id":{},"result":{}}', '{"id":true,"result":{}}'],
    ['{"id":1,"method":1}', '{"id":1,"method":null}', '{"id":"é","result":{}}', String.raw`{"id":"\n","result":{}}`],
    [
      '{"id":1',
      '{"id":1,',
      '{"id":1,}',
      '{"id":1}}',
      '{"id":1}{"id":2}',
      '{"id":1]',
      '{"id":"1',
      '{id:1}',
      '{"id":01}',
    ],
    ['{"id":1,"result":{}', '{"id":1,"result":"}', '{"id":1,"result":[}', '{"id"1}', '{"id":}', '\ufeff{"id":1}'],
  ])('is left to JSON.parse: %s, and others', (...texts) => {
    for (const text of texts) expect(envelopeOf(text)).toBeUndefined()
  })
})

/** Names and texts that mean something to a reader, or nearly. */
const word = fc.oneof(
  fc.constantFrom('id', 'method', 'result', 'error', 'jsonrpc', 'params', 'i', 'idd', 'Id', 'methoD', '__proto__', ''),
  fc.constantFrom(
    'tools/call',
    'notifications/progress',
    '"',
    '\\',
    '\\"',
    '","id":9,"',
    '}',
    '{"id":9}',
    'é',
    '\u2028',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.constantFrom('"', '\\', 'x'.repeat(60), ',"id":9'), { maxLength: 8 }).map((parts) => parts.join('')),
)
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger())
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(word, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(word, tie('value'), { maxKeys: 4 }),
  ),
}))
/** As it stands in a text: some letters of it escaped, as any may be. */
const written = fc
  .tuple(word, fc.nat({ max: 9 }))
  .map(([text, chance]) =>
    chance > 0
      ? JSON.stringify(text)
      : `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`,
  )
const space = fc.constantFrom('', '', '', ' ', '\t', '\r')
const member = fc
  .tuple(space, fc.oneof(written, fc.constantFrom('"id"', '"method"', '"result"')), space, value, space)
  .map(
    ([before, name, between, inner, after]) => `${before}${name}${between}:${between}${JSON.stringify(inner)}${after}`,
  )
const message = fc.array(member, { maxLength: 6 }).map((members) => `{${members.join(',')}}`)

describe('what the shim takes a line for', () => {
  it('is what JSON.parse takes it for, whatever is in it and however often', () => {
    fc.assert(
      fc.property(message, (text) => {
        expect(seen(text)).toEqual({ id: undefined, method: undefined, ...parsed(text) })
      }),
      { numRuns: 3_000 },
    )
  })

  it('is what JSON.parse takes it for, of any JSON at all', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        expect(seen(text)).toEqual({ id: undefined, method: undefined, ...parsed(text) })
      }),
    )
  })

  it('is something, of any bytes: nothing breaks it, and what is asked of it later neither', () => {
    const piece = fc.oneof(
      fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '"id"', '"method"', '"tools/call"', '1', ' ', '\u00e9'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const found = glance(Buffer.from(`{"id":1,"method":"tools/call",${pieces.join('')}\n`))
        if ('message' in found) expect(found.message()).toBeTypeOf('object')
      }),
      { numRuns: 2_000 },
    )
  })
})
