import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { envelopeOf, failed, success } from '../../src/envelope/envelope.js'
import { failure } from '../../src/envelope/failure.js'

const correlationId = '6f1d3c0e-8f0a-4b53-9c6e-2d9c1f0a7b11'
const meta = { standing: { mode: 'autopilot', approval_mode: false }, elapsedMs: 12, correlationId } as const
const schema = envelopeOf(z.strictObject({ tier: z.string() }))

describe('a success', () => {
  it('has data and all keys of meta, and no error', () => {
    const envelope = success({ tier: 'Basic' }, meta)
    expect(envelope).toEqual({
      success: true,
      data: { tier: 'Basic' },
      meta: {
        tool_version: '1.0',
        elapsed_ms: 12,
        mode: 'autopilot',
        approval_mode: false,
        correlation_id: correlationId,
      },
    })
    expect(envelope).not.toHaveProperty('error')
    expect(schema.parse(envelope)).toEqual(envelope)
  })

  it('has what a tool adds to meta', () => {
    const extra = {
      pagination: { next_token: 'n', result_count: 1, has_more: true },
      provider_backend: 'local',
      retry_count: 0,
      rollback: { reversible: true, undo_tool: 'withdraw_item', undo_params: { id: 7 } },
    }
    const envelope = success({ tier: 'Basic' }, meta, extra)
    expect(envelope.meta).toMatchObject(extra)
    expect(schema.parse(envelope)).toEqual(envelope)
  })

  it.each([
    [12.4, 12],
    [0.6, 1],
    [-3, 0],
  ])('took %f ms: an integer of %i', (elapsedMs, shown) => {
    expect(success(null, { ...meta, elapsedMs }).meta.elapsed_ms).toBe(shown)
  })
})

describe('a failure', () => {
  it('has null for data, and an error of three keys', () => {
    const envelope = failed(failure('not_found', 'There is no item 7.'), meta)
    expect(envelope).toMatchObject({ success: false, data: null })
    expect(envelope.error).toEqual({ code: 'not_found', message: 'There is no item 7.', retryable: false })
    expect(Object.keys(envelope.meta).sort()).toEqual([
      'approval_mode',
      'correlation_id',
      'elapsed_ms',
      'mode',
      'tool_version',
    ])
    expect(schema.parse(envelope)).toEqual(envelope)
  })

  it('has the later keys where they are known', () => {
    const error = failure('rate_limited', 'Later.', {
      retryAfterMs: 10.2,
      rateLimitReset: 0,
      policyDecision: 'denied',
      details: { rule: 'x' },
      cause: new Error('secret'),
    })
    const envelope = failed(error, meta)
    expect(envelope.error).toEqual({
      code: 'rate_limited',
      message: 'Later.',
      retryable: true,
      retry_after_ms: 11,
      rate_limit_reset: '1970-01-01T00:00:00.000Z',
      policy_decision: 'denied',
      details: { rule: 'x' },
    })
    expect(JSON.stringify(envelope)).not.toContain('secret')
    expect(schema.parse(envelope)).toEqual(envelope)
  })

  it('never says "come back in the past"', () => {
    expect(failed(failure('rate_limited', 'Now.', { retryAfterMs: -5 }), meta).error?.retry_after_ms).toBe(0)
  })
})

describe('the schema', () => {
  const good = success({ tier: 'Basic' }, meta)
  const error = { code: 'not_found', message: 'm', retryable: false }

  it.each<[string, object]>([
    ['no data', { success: true, meta: good.meta }],
    ['data of another shape', { ...good, data: { tier: 5 } }],
    ['null where a key should be left out', { ...good, error: null }],
    ['null for a key of meta', { ...good, meta: { ...good.meta, pagination: null } }],
    ['undefined for a key of meta', { ...good, meta: { ...good.meta, pagination: undefined } }],
    ['a key that nobody knows', { ...good, warning: 'x' }],
    ['an unknown code', { ...good, success: false, data: null, error: { ...error, code: 'oops' } }],
    ['half an error', { ...good, success: false, data: null, error: { code: 'not_found' } }],
    ['a correlation id that is no UUID', { ...good, meta: { ...good.meta, correlation_id: '7' } }],
    ['another version', { ...good, meta: { ...good.meta, tool_version: '2.0' } }],
    ['part of a millisecond', { ...good, meta: { ...good.meta, elapsed_ms: 1.5 } }],
    ['no mode', { ...good, meta: { tool_version: '1.0', elapsed_ms: 1 } }],
  ])('refuses %s', (_, envelope) => {
    expect(schema.safeParse(envelope).success).toBe(false)
  })

  it('lets data be null, also of a payload that is not: clients check failures, too', () => {
    expect(schema.safeParse(failed(failure('db_error', 'm'), meta)).success).toBe(true)
  })
})
