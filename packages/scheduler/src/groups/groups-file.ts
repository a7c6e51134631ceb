import { open } from 'node:fs/promises'
import { placeOf, wordsOf } from '@callboard/worker/issue-words'
import { jsonMistake } from '@callboard/worker/json-mistake'
import { didYouMean } from '@callboard/worker/nearest-name'
import type { z } from 'zod'
import { groupsFileBytesMax } from '../limits.js'
import type { Group } from './group.js'
import { type GroupEntry, groupEntry, groupsSchema, keysAt, toGroup } from './group-entry.js'
import { type ExtractionCheck, runnerProblems } from './runner-problems.js'

export { groupPlaces } from './group-places.js'
export type { ExtractionCheck } from './runner-problems.js'

export type ParsedGroups =
  | { readonly groups: readonly Group[]; readonly problems?: never }
  | { readonly problems: readonly string[]; readonly groups?: never }

/** Every problem of the groups file, or of the groups' directories, at once. */
export class GroupsFileError extends Error {
  override readonly name = 'GroupsFileError'
  readonly path: string
  /** Each begins with its place, e.g. `groups[2].tag: …`. */
  readonly problems: readonly string[]

  constructor(path: string, problems: readonly string[]) {
    super(problems.map((problem) => `${path}: ${problem}`).join('\n'))
    this.path = path
    this.problems = problems
  }
}

/** Undefined: there is no such file. Rejects with a GroupsFileError for one that can't be read or is not valid. */
export async function readGroupsFile(
  path: string,
  extractionProblem?: ExtractionCheck,
): Promise<readonly Group[] | undefined> {
  const text = await readText(path)
  if (text === undefined) return undefined
  const { groups, problems } = parseGroupsFile(text, extractionProblem)
  if (problems !== undefined) throw new GroupsFileError(path, problems)
  return groups
}

/** `{ "groups": [{ folder, tag, name, admin?, runner?, timezone?, env_allow?, timeout_ms? }] }`, or all that is wrong with it. */
export function parseGroupsFile(text: string, extractionProblem?: ExtractionCheck): ParsedGroups {
  const mistake = jsonMistake(text)
  if (mistake !== undefined) return { problems: [mistake] }
  const value: unknown = JSON.parse(text)
  const parsed = groupsSchema.safeParse(value)
  const entries = parsed.success ? parsed.data.groups : readableEntries(value)
  const problems = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap(problemsOf)),
    ...repeated(entries, 'folder'),
    ...repeated(entries, 'tag'),
    ...adminProblems(entries),
    ...entries.flatMap((entry, n) => {
      const { data } = groupEntry.safeParse(entry)
      return data === undefined ? [] : runnerProblems(data, n, extractionProblem)
    }),
  ]
  return parsed.success && problems.length === 0 ? { groups: parsed.data.groups.map(toGroup) } : { problems }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path)
    const { size } = await file.stat()
    if (size > groupsFileBytesMax) {
      throw new GroupsFileError(path, [`has ${size} bytes; ${groupsFileBytesMax} is the most`])
    }
    return (await file.readFile('utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (error instanceof GroupsFileError) throw error
    throw new GroupsFileError(path, [`can't be read (${code ?? String(error)}): correct its path or permissions`])
  }
}

/** What of a file with mistakes can still be compared, so that one mistake does not hide another. */
function readableEntries(value: unknown): readonly Partial<GroupEntry>[] {
  const { groups } = Object(value) as { readonly groups?: unknown }
  return Array.isArray(groups) ? groups.map((entry) => Object(entry) as Partial<GroupEntry>) : []
}

function repeated(entries: readonly Partial<GroupEntry>[], key: 'folder' | 'tag'): readonly string[] {
  const holders = new Map<string, number>()
  return entries.flatMap((entry, n) => {
    const value = entry[key]
    if (typeof value !== 'string') return []
    const holder = holders.get(value)
    if (holder !== undefined) return [`groups[${n}].${key}: groups[${holder}] has the same; choose another one`]
    holders.set(value, n)
    return []
  })
}

function adminProblems(entries: readonly Partial<GroupEntry>[]): readonly string[] {
  const admins = entries.flatMap(({ admin }, n) => (admin === true ? [n] : []))
  if (admins.length === 0 && entries.length > 0) {
    return ['groups: exactly one must have "admin": true; none has']
  }
  return admins.slice(1).map((n) => `groups[${n}].admin: groups[${admins[0]}] is the admin group already`)
}

function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  const place = placeOf(issue.path)
  if (issue.code !== 'unrecognized_keys') return [`${place === '' ? '' : `${place}: `}${wordsOf(issue)}`]
  return issue.keys.map((key) => {
    const full = placeOf([...issue.path, key])
    return `${full}: there is no such key${didYouMean(key, keysAt(issue.path))}`
  })
}
