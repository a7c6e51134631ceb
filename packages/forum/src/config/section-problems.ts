import { placeOf, wordsOf } from '@callboard/worker/issue-words'
import { jsonMistake } from '@callboard/worker/json-mistake'
import { didYouMean } from '@callboard/worker/nearest-name'
import type { z } from 'zod'
import { isRecord } from '../json/read-json.js'
import { authPair } from './auth-pair.js'
import { authPairProblems } from './auth-pair-problems.js'
import { sectionSchema } from './section-schema.js'

/** What is wrong in a section; nothing of a value, which may be a secret. */
export interface KeyProblem {
  /** The section's own key; empty: the section itself. */
  readonly key: string
  /** From the section on: `auth_pairs[0].api_key`. */
  readonly place: string
  readonly sentence: string
}

/** Everything that is wrong with the keys of a section that are there. */
export function sectionProblems(section: unknown): readonly KeyProblem[] {
  const parsed = sectionSchema.safeParse(section)
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((issue) => issueProblems(issue, section))
  return [...issues, ...authPairProblems(isRecord(section) ? section['auth_pairs'] : undefined)]
}

function issueProblems(issue: z.core.$ZodIssue, section: unknown): readonly KeyProblem[] {
  const key = String(issue.path[0] ?? '')
  if (issue.code === 'unrecognized_keys') return issue.keys.map((unknown) => unknownKey(issue.path, unknown))
  return [{ key, place: placeOf(issue.path), sentence: sentenceOf(issue, section) }]
}

function sentenceOf(issue: z.core.$ZodIssue, section: unknown): string {
  const value = valueAt(section, issue.path)
  // What came as text was meant as JSON.
  if (issue.path.length === 1 && issue.path[0] === 'auth_pairs' && typeof value === 'string') {
    return `must be a list, written as JSON: it ${jsonMistake(value) ?? 'is text that holds one'}`
  }
  return `${issue.path.length > 1 && value === undefined ? 'must be set: ' : ''}${wordsOf(issue)}`
}

function unknownKey(path: readonly PropertyKey[], unknown: string): KeyProblem {
  const siblings = Object.keys(path.length === 0 ? sectionSchema.shape : authPair.shape)
  const place = placeOf([...path, shortened(unknown)])
  return {
    key: String(path[0] ?? unknown),
    place,
    sentence: `there is no such key${didYouMean(unknown.replaceAll('-', '_'), siblings)}`,
  }
}

/** Somebody may have written `"key=…"`. */
export function shortened(name: string): string {
  return name.length > nameShownMax ? `${name.slice(0, nameShownMax)}…` : name
}

/** The longest key has 25 letters. */
const nameShownMax = 30

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    return (value as { readonly [key: PropertyKey]: unknown })[key]
  }, given)
}
