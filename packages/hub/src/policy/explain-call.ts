import type { Mismatch, Policy, PolicyCaller, PolicySubject } from './policy.js'
import type { Decision, Rule } from './rule.js'

/** What a policy does with a call, and why. */
export interface Explanation {
  readonly decision: Decision
  /** The rules before the one that decides, which do not. */
  readonly passedOver: readonly { readonly rule: Rule; readonly why: Mismatch }[]
  /** Why these arguments are refused. */
  readonly problem: string | undefined
}

/** `given`: the arguments; undefined: nobody knows them. */
export function explainCall(
  policy: Policy,
  caller: PolicyCaller,
  subject: PolicySubject,
  given: Readonly<Record<string, unknown>> | undefined,
): Explanation {
  const decision = policy.decide(caller, subject)
  return {
    decision,
    passedOver: policy.mismatches(caller, subject),
    problem: given === undefined ? undefined : decision.when?.(given),
  }
}
