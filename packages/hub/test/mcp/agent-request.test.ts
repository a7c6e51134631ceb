import { describe, expect, it } from 'vitest'
import { argumentsHashOf, parseAgentRequest } from '../../src/mcp/agent-request.js'
import { parsed } from './fake-hub.js'

const call = (params: Record<string, unknown>) =>
  parseAgentRequest({ method: 'tools/call', params: { name: 't', ...params } })

describe('parseAgentRequest', () => {
  it('routes by what each method names', () => {
    const named = (method: string, params: Record<string, unknown>) => parseAgentRequest({ method, params }).name
    expect(named('tools/call', { name: 'a' })).toBe('a')
    expect(named('resources/read', { uri: 'x://y' })).toBe('x://y')
    expect(named('prompts/get', { name: 'p', arguments: { a: 'b' } })).toBe('p')
    const argument = { name: 'a', value: '' }
    expect(named('completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument })).toBe('p')
    expect(named('completion/complete', { ref: { type: 'ref/resource', uri: 'x://{y}' }, argument })).toBe('x://{y}')
  })

  it('passes params on untouched', () => {
    const params = JSON.parse(
      '{"name":"t","arguments":{"__proto__":{"a":1},"ü":[1e21,null]},"unknown":{"x":1},"_meta":{"a/b":1}}',
    )
    const { body } = parseAgentRequest({ method: 'tools/call', params })
    expect(body.toString()).toBe(JSON.stringify(params))
  })

  it('takes the keys that steer the hub, and lets no client write the others', () => {
    const request = call({
      _meta: { 'callboard/idempotencyKey': 'k', 'callboard/session': 's', 'callboard/trusted': true, progressToken: 0 },
    })
    expect(request).toMatchObject({ idempotencyKey: 'k', progressToken: 0 })
    expect(parsed(request.body)._meta).toEqual({
      'callboard/idempotencyKey': 'k',
      'callboard/session': 's',
      progressToken: 0,
    })
  })

  it('lifts a trace context that is one, and leaves it in the body', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const traced = call({ _meta: { traceparent, tracestate: 'v=1' } })
    expect(traced).toMatchObject({ traceparent, tracestate: 'v=1' })
    expect(parsed(traced.body)._meta).toEqual({ traceparent, tracestate: 'v=1' })
    expect(call({ _meta: { traceparent: 'x', tracestate: 'v=1' } }).tracestate).toBeUndefined()
  })

  it.each<[string, Record<string, unknown>]>([
    ['tools/call', {}],
    ['tools/call', { name: 3 }],
    ['tools/call', { name: 'x'.repeat(129) }],
    ['tools/call', { name: 't', arguments: [] }],
    ['tools/call', { name: 't', _meta: 1 }],
    ['tools/call', { name: 't', _meta: { 'callboard/idempotencyKey': 1 } }],
    ['tools/call', { name: 't', _meta: { 'callboard/idempotencyKey': 'k'.repeat(257) } }],
    ['tools/call', { name: 't', arguments: { a: 'x'.repeat(4 * 1024 * 1024) } }],
    ['resources/read', { uri: '' }],
    ['prompts/get', { name: 'p', arguments: { a: 1 } }],
    ['completion/complete', { ref: { type: 'ref/x', name: 'p' }, argument: { name: 'a', value: '' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' } }],
  ])('refuses %s %j', (method, params) => {
    expect(() => parseAgentRequest({ method, params })).toThrow(expect.objectContaining({ code: -32602 }))
  })

  it('knows no other method', () => {
    expect(() => parseAgentRequest({ method: 'tools/destroy' })).toThrow(expect.objectContaining({ code: -32601 }))
  })

  it('hashes what is asked, not how it is written or marked', () => {
    const hash = (args: unknown, meta: object) => argumentsHashOf(call({ arguments: args, _meta: meta }))
    expect(hash({ a: 1, b: { c: 2, d: 3 } }, {})).toBe(hash({ b: { d: 3, c: 2 }, a: 1 }, { progressToken: 1 }))
    expect(hash({ a: 1 }, {})).not.toBe(hash({ a: 2 }, {}))
    expect(hash(JSON.parse('{"__proto__":1}'), {})).not.toBe(hash({}, {}))
  })
})
