import { type CallIdentity, CallReplies, callKey } from '@callboard/store'
import { hashOfJson } from '@callboard/worker/canonical-json'
import { failure } from '../envelope/failure.js'
import type { SocialSchema } from '../records/schema.js'
import type { Reply } from './social-tool.js'

/** Refuses a key that is used again for something else with `conflict`. */
export const callReplies = new CallReplies<SocialSchema, Reply<unknown>>(() =>
  failure(
    'conflict',
    'This idempotency key was used for a call with other arguments in the last 24 hours; take another key for another call.',
  ),
)

export interface KeyedCall extends CallIdentity {
  /** Whether the caller gave the key. */
  readonly isKeyGiven: boolean
}

/** The key that the arguments give, else the request's, else the call's id; it is no part of what is asked for. */
export function callIdentity(
  owner: string,
  tool: string,
  given: { readonly [key: string]: unknown },
  call: { readonly idempotencyKey: string; readonly callId: string },
): KeyedCall {
  const { idempotency_key: own, ...rest } = given
  const key = own ?? call.idempotencyKey
  return {
    principal: owner,
    tool,
    key: callKey(String(key)),
    isKeyGiven: key !== call.callId,
    argumentsHash: hashOfJson(rest),
  }
}
