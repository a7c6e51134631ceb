import { QdaFailure } from '../failure.js'
import { patternLengthMax } from '../limits.js'

export type PatternMatchKind = 'literal' | 'word' | 'regex'

export interface Expression {
  readonly source: string
  readonly flags: string
}

export interface PatternForm {
  readonly pattern: string
  /** `word`: the pattern as it is, with no letter, number, underscore or combining mark before or after it. */
  readonly match: PatternMatchKind
  readonly caseSensitive: boolean
  /** `^` and `$` also stand for the ends of lines; default false. */
  readonly multiline?: boolean
}

/** Whether a regex is a valid one shows where it is run. Throws QdaFailure INVALID_PATTERN for an empty or too long pattern. */
export function expressionOf(form: PatternForm): Expression {
  const { pattern } = form
  if (pattern === '') throw new QdaFailure('INVALID_PATTERN', 'The pattern is empty; give what to look for.')
  if (pattern.length > patternLengthMax) {
    throw new QdaFailure(
      'INVALID_PATTERN',
      `The pattern has ${pattern.length} characters; at most ${patternLengthMax} are allowed.`,
    )
  }
  return { source: sourceOf(form), flags: `gu${form.caseSensitive ? '' : 'i'}${form.multiline ? 'm' : ''}` }
}

function sourceOf({ pattern, match }: PatternForm): string {
  switch (match) {
    case 'literal':
      return escaped(pattern)
    case 'word':
      return `(?<!${wordCharacter})${escaped(pattern)}(?!${wordCharacter})`
    case 'regex':
      return pattern
    default:
      return match satisfies never
  }
}

const wordCharacter = '[\\p{L}\\p{N}\\p{M}_]'

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
