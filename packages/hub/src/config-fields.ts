import { didYouMean } from '@callboard/protocol/nearest-name'
import type { z } from 'zod'

export type Report = (problem: string) => void

type Fields = Readonly<Record<string, z.ZodType>>

/** What is usable of a JSON object; each problem is a sentence without its stop. `others` are keys that somebody else reads. */
export function readFields<F extends Fields>(
  value: object,
  fields: F,
  where: string,
  report: Report,
  others: readonly string[] = [],
): { [K in keyof F]?: z.output<F[K]> } {
  const known = [...Object.keys(fields), ...others]
  const unknown = Object.keys(value).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    const hints = unknown.map((key) => `${key}${didYouMean(key, known)}`)
    report(`${where === '' ? '' : `${where}: `}unknown key ${hints.join(', ')}`)
  }
  const found: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(fields)) {
    if (!Object.hasOwn(value, key)) continue
    const parsed = field.safeParse((value as Record<string, unknown>)[key])
    if (parsed.success) found[key] = parsed.data
    else for (const issue of parsed.error.issues) report(`${where === '' ? '' : `${where}.`}${key}: ${wordsOf(issue)}`)
  }
  return found as { [K in keyof F]?: z.output<F[K]> }
}

/** Where one of several forms may stand, the last is the one that says most. */
function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message
  if (issue.path.length === 0) return 'must be "off", or an object, like {"listen": "127.0.0.1:8765"}'
  return issue.errors.at(-1)?.[0]?.message ?? issue.message
}

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function oneOf(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}

/** A value within a sentence. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value)
  return json.length <= 80 ? json : `${json.slice(0, 80)}…`
}
