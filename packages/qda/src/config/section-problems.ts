import { placeOf, wordsOf } from '@callboard/worker/issue-words'
import { didYouMean } from '@callboard/worker/nearest-name'
import type { z } from 'zod'
import { sectionSchema } from './section-schema.js'

/** What is wrong with single keys, each as `key: sentence`; about the section itself it begins with a colon. */
export function valueProblems({ issues }: z.ZodError): readonly string[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [`${placeOf(issue.path)}: ${wordsOf(issue)}`]
    return issue.keys.map((key) => noSuchKey([...issue.path], key, Object.keys(sectionSchema.shape)))
  })
}

/** Which keys of `levels` are no tool's, and which levels would have no effect. */
export function levelProblems(
  section: unknown,
  tools: readonly string[],
  writingTools: readonly string[],
): readonly string[] {
  const levels = isRecord(section) ? section['levels'] : undefined
  if (!isRecord(levels)) return []
  return Object.entries(levels).flatMap(([name, level]) => {
    if (!tools.includes(name)) return [noSuchKey(['levels'], name, tools)]
    if (writingTools.includes(name) || !/^T[1-4]$/.test(String(level))) return []
    return [`${placeOf(['levels', name])}: can only be off: it writes nothing that could wait for somebody`]
  })
}

/** Which roots begin with `~` where there is no home. */
export function homeProblems(section: unknown, home: string | undefined): readonly string[] {
  const roots = isRecord(section) ? section['roots'] : undefined
  if (home !== undefined || !Array.isArray(roots)) return []
  return roots.flatMap((root: unknown, index) =>
    typeof root === 'string' && /^~(\/|$)/.test(root) ? [`roots[${index}]: ~ is nowhere: HOME is not set`] : [],
  )
}

function noSuchKey(path: readonly PropertyKey[], key: string, known: readonly string[]): string {
  const what = path.length === 0 ? 'key' : 'tool'
  return `${placeOf([...path, shortened(key)])}: there is no such ${what}${didYouMean(key.replaceAll('-', '_'), known)}`
}

/** A key may be as long as the file. */
function shortened(key: string): string {
  return key.length > keyShownMax ? `${key.slice(0, keyShownMax)}…` : key
}

const keyShownMax = 60

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
