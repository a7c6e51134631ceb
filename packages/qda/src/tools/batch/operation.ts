import { z } from 'zod'
import { QdaFailure } from '../../failure.js'
import { memoLengthMax } from '../../limits.js'
import type { Importance } from '../../project/coding-meta.js'
import { withPublicPart } from '../../text/private-memo.js'
import { orFailure } from './or-failure.js'

/** One coding that is asked for: a place, or the words that stand there. */
export interface Operation {
  readonly codeId: number
  readonly sourceId: number
  /** Code points. */
  readonly start?: number | undefined
  readonly end?: number | undefined
  readonly quote?: string | undefined
  readonly prefix?: string | undefined
  readonly suffix?: string | undefined
  readonly occurrence?: number | undefined
  readonly fuzzy: boolean
  readonly textHash?: string | undefined
  readonly memo?: string | undefined
  readonly importance?: Importance | undefined
}

const integer = (what: string, more: object = {}) => ({ type: 'integer', ...more, description: what })
const string = (what: string) => ({ type: 'string', description: what })

/** What tells a passage by its words, for schemas of other tools too. */
const quoteProperties = {
  quote: string('The passage in its own words, instead of positions or to check them'),
  prefix: string('What stands before the quote, to tell one of several'),
  suffix: string('What stands behind it'),
  occurrence: integer('Which one of several, from 1', { minimum: 1 }),
  fuzzy: { type: 'boolean', description: 'Whether a passage that is only like the quote will do' },
}

/** What agents are told; what is wrong with one operation is told in its own row. */
export const operationSchema = z.unknown().meta({
  type: 'object',
  properties: {
    code_id: integer('Code ID'),
    source_id: integer('Source ID'),
    start_position: integer('Code points from 0'),
    end_position: integer('The first one behind it'),
    ...quoteProperties,
    text_hash: string('Of the text that positions were read from: refused if it is another one now'),
    memo: string('Of the coding'),
    importance: integer('0 to 3', { minimum: 0, maximum: 3 }),
  },
  required: ['code_id', 'source_id'],
})

/** What is wrong with an operation, in a sentence; or the operation. */
export function parseOperation(given: unknown): Operation | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'An operation must be an object'
  const fields = new Fields(given as { readonly [key: string]: unknown })
  const operation: Operation = {
    codeId: fields.id('code_id') ?? 0,
    sourceId: fields.id('source_id') ?? 0,
    start: fields.integer('start_position', 'start_pos'),
    end: fields.integer('end_position', 'end_pos'),
    quote: fields.text('quote'),
    prefix: fields.text('prefix'),
    suffix: fields.text('suffix'),
    occurrence: fields.between('occurrence', 1, Number.MAX_SAFE_INTEGER),
    fuzzy: fields.boolean('fuzzy') ?? false,
    textHash: fields.text('text_hash'),
    memo: fields.text('memo'),
    importance: fields.between('importance', 0, 3) as Importance | undefined,
  }
  return fields.problem() ?? missingPlace(operation) ?? badMemo(operation) ?? operation
}

function missingPlace({ start, end, quote }: Operation): string | undefined {
  if (quote !== undefined || (start !== undefined && end !== undefined)) return undefined
  return 'Give start_position and end_position, or a quote'
}

function badMemo({ memo = '' }: Operation): string | undefined {
  if (memo.length > memoLengthMax) return `memo must have at most ${memoLengthMax} characters`
  if (/[\0\p{Surrogate}]/u.test(memo)) return 'memo must be valid Unicode without NUL'
  const refused = orFailure(() => withPublicPart(null, memo))
  return refused instanceof QdaFailure ? refused.message : undefined
}

/** Reads each known key once; null is as good as nothing. */
class Fields {
  readonly #given: { readonly [key: string]: unknown }
  readonly #unread: Set<string>
  #problem: string | undefined

  constructor(given: { readonly [key: string]: unknown }) {
    this.#given = given
    this.#unread = new Set(Object.keys(given))
  }

  /** The first one. */
  problem(): string | undefined {
    const [unknown] = this.#unread
    return this.#problem ?? (unknown === undefined ? undefined : `Unknown key ${JSON.stringify(unknown.slice(0, 100))}`)
  }

  id(name: string): number | undefined {
    const value = this.#take(name)
    if (value === undefined) return this.#refuse(`${name} is missing`)
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
    return Number.isSafeInteger(number) && (number as number) >= 0
      ? (number as number)
      : this.#refuse(`${name} must be a whole number`)
  }

  integer(name: string, alias: string): number | undefined {
    const [own, other] = [this.#take(name), this.#take(alias)]
    if (own !== undefined && other !== undefined && own !== other)
      return this.#refuse(`${name} and ${alias} are the same, and say different things`)
    const value = own ?? other
    if (value === undefined || Number.isSafeInteger(value)) return value as number | undefined
    return this.#refuse(`${name} must be a whole number`)
  }

  between(name: string, least: number, most: number): number | undefined {
    const value = this.#take(name)
    if (value === undefined) return undefined
    if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number
    return this.#refuse(`${name} must be a whole number ${most > 3 ? `from ${least}` : `from ${least} to ${most}`}`)
  }

  text(name: string): string | undefined {
    const value = this.#take(name)
    return value === undefined || typeof value === 'string' ? value : this.#refuse(`${name} must be a string`)
  }

  boolean(name: string): boolean | undefined {
    const value = this.#take(name)
    return value === undefined || typeof value === 'boolean' ? value : this.#refuse(`${name} must be true or false`)
  }

  #take(name: string): unknown {
    this.#unread.delete(name)
    return Object.hasOwn(this.#given, name) ? (this.#given[name] ?? undefined) : undefined
  }

  #refuse(why: string): undefined {
    this.#problem ??= why
    return undefined
  }
}
