/** A policy is written by people: hundreds of rules are some tens of kilobytes. */
export const policyBytesMax = 1024 * 1024
/** A call that was not judged before is held against each, in turn. */
export const rulesMax = 1_000
export const rolesMax = 1_000
/** Principals of a role may be many; one that has more is a pattern. */
export const entriesMax = 1_000
export const entryLengthMax = 512
/** Of one `when`: each is looked at for each value that it stands for. */
export const schemaNodesMax = 1_000
export const schemaDepthMax = 32
export const patternLengthMax = 1_024
/** Arguments that a rule looks into: what is larger is refused, so that a check takes milliseconds. */
export const judgedBytesMax = 256 * 1024
export const judgedDepthMax = 64
/** Steps of one check, a character that a pattern looks at among them: some 20 ms. */
export const checkWorkMax = 500_000
/** Of one rule; whoever comes when there is no room for one more shares one with all such. */
export const bucketsMax = 10_000
/** Callers of whom it is known which rules are for them; beyond it they are looked at anew. */
export const knownCallersMax = 10_000
/** A day's worth of calls in a burst is no limit any more. */
export const rateCallsMax = 1_000_000
