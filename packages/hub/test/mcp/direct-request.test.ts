import { bodyBytesMax } from '@callboard/protocol'
import { describe, expect, it } from 'vitest'
import { readDirectRequest } from '../../src/mcp/direct-request.js'
import type { Loose } from './fake-hub.js'

const read = (params: string): Loose => readDirectRequest(Buffer.from(params))
const bodyOf = (params: string) => read(params).body.toString()

describe('readDirectRequest', () => {
  it('takes the bytes of the params for the body', () => {
    const params = '{"name":"t","arguments":{"a" : "ü"},"_meta":{"progressToken":"p"}}'
    expect(read(params)).toMatchObject({ method: 'tools/call', name: 't', progressToken: 'p' })
    expect(bodyOf(params)).toBe(params)
  })

  it('reads what the hub routes by', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const meta = { 'callboard/idempotencyKey': 'k', traceparent, tracestate: 'x=1' }
    expect(read(JSON.stringify({ name: 't', _meta: meta }))).toMatchObject({
      idempotencyKey: 'k',
      traceparent,
      tracestate: 'x=1',
    })
  })

  it.each([
    '{"name":"t","_meta":{"callboard/caller":"me","a":1}}',
    String.raw`{"name":"t","_meta":{"callboard\/caller":"me","a":1}}`,
    String.raw`{"name":"t","_meta":{"\u0063allboard/caller":"me","a":1}}`,
    '{"_meta":{"callboard/caller":"me"},"name":"t","_meta":{"a":1}}',
  ])('lets no client speak for the hub, however it spells it: %s', (params) => {
    expect(bodyOf(params)).not.toMatch(/caller/)
    expect(JSON.parse(bodyOf(params))).toEqual({ name: 't', _meta: { a: 1 } })
  })

  it.each([
    ['what is not JSON', '{"name":"t",}'],
    ['more than one value', '{"name":"t"},"id":7,"x":{"name":"t"}'],
    ['no object', '["t"]'],
    ['a matter of tasks', '{"name":"t","task":{}}'],
    ['input for a question', '{"name":"t","inputResponses":{}}'],
    ['the state of a question', '{"name":"t","requestState":"s"}'],
    ['a member that nobody knows', '{"name":"t","extra":1}'],
    ['no name', '{"arguments":{}}'],
    ['a name that is no text', '{"name":7}'],
    ['arguments that are no object', '{"name":"t","arguments":[]}'],
    ['a meta that is no object', '{"name":"t","_meta":null}'],
    ['a token of the wrong kind', '{"name":"t","_meta":{"progressToken":{}}}'],
    ['a key of the wrong kind', '{"name":"t","_meta":{"callboard/idempotencyKey":7}}'],
    ['what is nested too deep', `{"name":"t","arguments":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`],
    ['what is too large', JSON.stringify({ name: 't', arguments: { a: 'x'.repeat(bodyBytesMax) } })],
  ])('leaves %s to the usual way', (_, params) => {
    expect(read(params)).toBeUndefined()
  })

  it('leaves what is not UTF-8 to the usual way', () => {
    const params = Buffer.from('{"name":"t","arguments":{"a":"?"}}')
    params[params.indexOf('?')] = 0xff
    expect(readDirectRequest(params)).toBeUndefined()
  })

  it('keeps no large chunk in memory for a small call', () => {
    const chunk = Buffer.alloc(64 * 1024)
    const length = chunk.write('{"name":"t"}')
    const { body } = readDirectRequest(chunk.subarray(0, length))!
    chunk.fill(0)
    expect(body.toString()).toBe('{"name":"t"}')
  })
})
