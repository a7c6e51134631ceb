import { type CallIdentity, CallReplies, callKey } from '@callboard/store'
import { hashOfJson } from '@callboard/worker/canonical-json'
import type { SchedulerSchema } from '../records/schema.js'
import { refusal } from '../refusal.js'
import type { AnyReply } from './scheduler-tool.js'

/** Refuses a key that is used again for something else with CONFLICT. */
export const callReplies = new CallReplies<SchedulerSchema, AnyReply>(() =>
  refusal('CONFLICT', 'This idempotency key was used for a call with other arguments in the last 24 hours.', {
    hint: 'Take another key for another call.',
  }),
)

/** The key that the arguments give, else the request's; it is no part of what is asked for. */
export function callIdentity(
  principal: string,
  tool: string,
  given: { readonly [key: string]: unknown },
  requestKey: string,
): CallIdentity {
  const { idempotency_key: key = requestKey, ...rest } = given
  return { principal, tool, key: callKey(String(key)), argumentsHash: hashOfJson(rest) }
}
