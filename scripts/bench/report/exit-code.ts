import type { Verdict } from './goals.js'

/** `absent`: names of what was to be measured and could not be. A goal about it would be missed by nobody. */
export function exitCode(verdicts: readonly Pick<Verdict, 'verdict'>[], absent: readonly string[]): 0 | 1 {
  return absent.length > 0 || verdicts.some(({ verdict }) => verdict === 'NO') ? 1 : 0
}
