export interface NameRules {
  /** In code points. */
  readonly lengthMax: number
  /** Names of codes may have slashes; those of sources and folders may not. */
  readonly slashes: 'allowed' | 'refused'
}

/** Why this, once trimmed, can't be a name: the end of a sentence that starts with what is named. Undefined: it can. */
export function nameProblem(name: string, { lengthMax, slashes }: NameRules): string | undefined {
  const trimmed = name.trim()
  if (trimmed === '') return 'must not be empty'
  // A code point has one or two units: far longer than that needs no counting.
  if (trimmed.length > 2 * lengthMax || [...trimmed].length > lengthMax) {
    return `must not be longer than ${lengthMax} characters`
  }
  if (/[\p{Cc}\u2028\u2029]/u.test(trimmed)) return 'must not contain control characters or line breaks'
  if (/\p{Surrogate}/u.test(trimmed)) return 'must not contain half of a surrogate pair'
  if (slashes === 'refused' && /[/\\]/.test(trimmed)) return 'must not contain / or \\'
  return undefined
}
