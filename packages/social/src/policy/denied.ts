import type { ErrorCode } from '../envelope/error-codes.js'
import { failure, type SocialFailure } from '../envelope/failure.js'
import type { Candidate } from './safety-checks.js'

const safetyRules = [
  'reply_permission',
  'own_post',
  'already_replied',
  'replies_to_author',
  'replies_to_targets',
  'banned_phrase',
  'duplicate_content',
  'similarity',
  'product_mention_ratio',
] as const
type SafetyRule = (typeof safetyRules)[number]

/** The candidate breaks that rule. */
export function denied(
  { network }: Candidate,
  rule: SafetyRule,
  message: string,
  more: { readonly [key: string]: unknown } = {},
): SocialFailure {
  return failure(codes[rule] ?? 'policy_denied_hard_rule', message, {
    policyDecision: 'denied',
    details: { rule, network, ...more },
  })
}

const codes: { readonly [rule in SafetyRule]?: ErrorCode } = {
  reply_permission: 'reply_not_allowed',
  duplicate_content: 'duplicate_content',
}
