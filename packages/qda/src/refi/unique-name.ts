/**
 * The name, or the name with ` (2)`, ` (3)`, … before its ending, which is not in `taken`; then it is. Case and the way of writing
 * an accent make no difference. `taken` holds the results of `nameKey`.
 */
export function uniqueName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.')
  const stem = dot > 0 ? name.slice(0, dot) : name
  const ending = dot > 0 ? name.slice(dot) : ''
  let candidate = name
  for (let number = 2; taken.has(nameKey(candidate)); number += 1) candidate = `${stem} (${number})${ending}`
  taken.add(nameKey(candidate))
  return candidate
}

export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
