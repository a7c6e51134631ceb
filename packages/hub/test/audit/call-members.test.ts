import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { argumentBytes } from '../../src/audit/argument-bytes.js'
import { callMembers, type RecordingMode } from '../../src/audit/call-members.js'
import { environmentSecrets, redactionOf } from '../../src/audit/redaction.js'
import type { CallRecord } from '../../src/broker/call-record.js'

const secret = 'correct-horse-battery'
const redaction = redactionOf([secret, 'short'])

function members(
  given: object | string,
  recording: 'none' | 'hash' | 'redacted' | 'full' | RecordingMode,
  more: Partial<CallRecord> = {},
) {
  const mode = typeof recording === 'string' ? { kind: recording } : recording
  const text = typeof given === 'string' ? given : JSON.stringify({ name: 'echo', arguments: given })
  const record: CallRecord = {
    id: '1',
    method: 'tools/call',
    service: 'echo',
    tool: 'echo',
    body: Buffer.from(text),
    caller: { session: 'a-session', principal: 'agent:ada', roles: ['agent'], depth: 0 },
    client: 'modern',
    outcome: 'result',
    isError: false,
    durationMs: 5,
    worker: 'w1',
    key: undefined,
    parent: undefined,
    audit: undefined,
    decides: false,
    ...more,
  }
  return JSON.parse(`{${callMembers(record, mode, redaction)}}`)
}

it('the hash is that of the argument bytes as they were sent', () => {
  const sent = '{ "b":1.0, "a":"\\u0041" }'
  const argumentsHash = createHash('sha256').update(sent).digest('hex')
  const line = members(`{"_meta":{"arguments":0},"arguments": ${sent} ,"name":"echo"}`, 'hash')
  expect(line).toMatchObject({ argumentsHash, principal: 'agent:ada', worker: 'w1' })
  expect(line).not.toHaveProperty('arguments')
})

it.each([
  ['a second time', '{"arguments":{"a":"shown"},"arguments":{"a":"meant"}}'],
  ['with an escape', String.raw`{"arguments":{"a":"shown"},"arg\u0075ments":{"a":"meant"},"name":"x"}`],
])('arguments that come %s are those that the worker reads', (_, params) => {
  const { argumentsHash, arguments: recorded } = members(params, 'full')
  expect(recorded).toEqual({ a: 'meant' })
  expect(argumentsHash).toBe(createHash('sha256').update('{"a":"meant"}').digest('hex'))
})

it.each(['', '{', '{"arguments"', '{"arguments":', '[1]', '{"a":"}', '{"name":"x"}'])(
  'params like %j harm nobody',
  (text) => {
    expect(argumentBytes(Buffer.from(text))?.byteLength ?? 0).toBe(0)
  },
)

it.each([
  ['the last of several', '{"arguments":{"path":"/data"},"name":"x","arguments":{"path":"/etc"}}'],
  ['one whose key is written with escapes', '{"arguments":{},"\\u0061rgument\\u0073":{"path":"/etc"}}'],
  [
    'one whose key is all escapes',
    JSON.stringify({ n: 1 }).replace(
      '"n":1',
      `"${[...'arguments'].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('')}":{"path":"/etc"}`,
    ),
  ],
])('arguments are what the worker reads as such: %s', (_, params) => {
  expect(JSON.parse(params).arguments).toEqual({ path: '/etc' })
  const line = members(params, 'full')
  expect(line.arguments).toEqual({ path: '/etc' })
  expect(line.argumentsHash).toBe(createHash('sha256').update('{"path":"/etc"}').digest('hex'))
})

it.each([
  '{"arguments ":{}}',
  '{"argument\\u0074":{}}',
  '{"argument\\u00":{}}',
  '{"name":"arguments","x":{"arguments":1}}',
])('params like %s have none', (params) => expect(members(params, 'full')).not.toHaveProperty('argumentsHash'))

it('no session id is in a line', () => {
  expect(JSON.stringify(members({}, 'full'))).not.toContain('a-session')
})

it('a secret that the hub knows is replaced wherever it stands, in full recordings too', () => {
  const line = members({ text: `say ${secret}!`, list: [{ [`key ${secret}`]: secret }], short: 'short' }, 'full')
  expect(line.arguments).toEqual({
    text: 'say [redacted]!',
    list: [{ 'key [redacted]': '[redacted]' }],
    short: 'short',
  })
})

it('a token is known by its form', () => {
  expect(members({ text: `MY_cbr_${'x'.repeat(43)}` }, 'full').arguments).toEqual({ text: 'MY_[redacted]' })
  expect(members({ text: `use cbt_${'x'.repeat(43)}` }, 'full').arguments).toEqual({ text: 'use [redacted]' })
})

it('what stands under a secret’s name is redacted, unless all is to be recorded', () => {
  const given = {
    apiKey: 'k',
    db_password: { a: 1 },
    Authorization: 'Basic x',
    author: 'Ada',
    tokens: 3,
    keyboard: 'us',
  }
  const hidden = '[redacted]'
  const { arguments: shown } = members(given, 'redacted')
  expect(shown).toEqual({
    apiKey: hidden,
    db_password: hidden,
    Authorization: hidden,
    author: 'Ada',
    tokens: hidden,
    keyboard: 'us',
  })
  expect(members(given, 'full').arguments).toEqual(given)
})

it('long arguments are cut, with a mark', () => {
  const line = members({ text: 'x'.repeat(100_000) }, 'full')
  expect(line).toMatchObject({ argumentsCut: 100_011 })
  expect(line.arguments).toHaveLength(65_536)
})

it('a call of a tool that only operators see is a decision', () => {
  expect(members({}, 'hash', { decides: true })).toMatchObject({ approval: { decision: true } })
})

it('the environment’s secrets are those under such names, and the passwords of its URLs', () => {
  const environment = {
    SMTP_PASSWORD: 'one',
    CALLBOARD_TOKEN: 'two',
    DATABASE_URL: 'postgres://me:thr%65e@host/db',
    A_TOKEN_FILE: '/run/x',
    HOME: '/x',
  }
  expect(environmentSecrets(environment)).toEqual(['one', 'two', 'thr%65e', 'three'])
})

it('what the policy names is left out as well: by its name wherever it is, or by its place', () => {
  const given = { code: 'x', steps: [{ code: 'y', 'a/b': { pin: 1 } }], pin: 2 }
  const { arguments: shown } = members(given, { kind: 'redacted', keys: ['code'], pointers: ['/steps/0/a~1b/pin'] })
  const hidden = '[redacted]'
  expect(shown).toEqual({ code: hidden, steps: [{ code: hidden, 'a/b': { pin: hidden } }], pin: 2 })
})
