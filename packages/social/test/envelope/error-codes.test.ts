import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../src/envelope/error-codes.js'
import { failure } from '../../src/envelope/failure.js'

const retryable = [
  'db_error',
  'policy_error',
  'policy_denied_rate_limited',
  'rate_limited',
  'llm_error',
  'network_rate_limited',
  'network_unavailable',
] as const

const final = [
  'validation_error',
  'serialization_error',
  'internal_error',
  'not_found',
  'conflict',
  'expired',
  'policy_denied_blocked',
  'policy_denied_hard_rule',
  'policy_denied_user_rule',
  'reply_not_allowed',
  'duplicate_content',
  'tweet_too_long',
  'llm_not_configured',
  'unsupported_media_type',
  'file_read_error',
  'media_upload_error',
  'network_api_error',
  'network_auth_expired',
  'network_forbidden',
  'network_account_restricted',
  'network_not_configured',
  'capability_missing',
  'thread_partial_failure',
  'publish_unknown',
] as const

describe('error codes', () => {
  it('are these, and no others', () => {
    expect(Object.keys(errorCodes).sort()).toEqual([...retryable, ...final].sort())
  })

  it.each(retryable)('%s may succeed when the same call is made again', (code) => {
    expect(failure(code, 'm').retryable).toBe(true)
  })

  it.each(final)('%s does not invite the same call', (code) => {
    expect(failure(code, 'm').retryable).toBe(false)
  })

  it('say otherwise where the failure knows better', () => {
    expect(failure('llm_error', 'The key is refused.', { retryable: false }).retryable).toBe(false)
    expect(failure('network_api_error', '500 to a read.', { retryable: true }).retryable).toBe(true)
  })

  it('keep their cause to themselves', () => {
    const cause = new Error('why')
    expect(failure('internal_error', 'm', { cause }).cause).toBe(cause)
    expect(failure('internal_error', 'm')).not.toHaveProperty('cause')
  })
})
