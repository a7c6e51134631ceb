import { sourceNameKey } from '../text/name-key.js'

/**
 * The name, or the name with ` (2)`, ` (3)`, … before its ending, which is not in `taken`; then it is. Case and the way of writing
 * an accent make no difference. `taken` holds the results of `sourceNameKey`.
 */
export function uniqueName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.')
  const stem = dot > 0 ? name.slice(0, dot) : name
  const ending = dot > 0 ? name.slice(dot) : ''
  let candidate = name
  for (let number = 2; taken.has(sourceNameKey(candidate)); number += 1) candidate = `${stem} (${number})${ending}`
  taken.add(sourceNameKey(candidate))
  return candidate
}
