import { ForumFailure } from '../failure/forum-failure.js'
import { idAt, type JsonRecord, recordAt, recordsAt, textAt } from '../json/read-json.js'
import type { ToolCall } from './forum-tool.js'

/** A tag as it is sent: its name, or with its id, which a tag that is not there yet does not have. */
export type SentTag = string | { readonly id?: number; readonly name: string }

/**
 * Tags by name, in the form that the forum takes: names before version 2026.1, objects with ids from then on. A forum whose tags
 * have no numbers takes names, whatever it says of its version.
 */
export async function tagsForVersion(
  names: readonly string[],
  { client, scope, selection }: Pick<ToolCall, 'client' | 'scope' | 'selection'>,
): Promise<readonly SentTag[]> {
  const takesIds = versionTakesIds(selection.version)
  if (names.length === 0 || takesIds === false) return names
  const known = tagsIn(await client.get('/tags.json', [], scope).catch(noTags))
  const ids = idsByName(known)
  if (ids.size === 0 && (known.length > 0 || takesIds === undefined)) return names
  return names.map((name) => {
    const id = ids.get(name.toLowerCase())
    return id === undefined ? { name } : { id, name }
  })
}

/** undefined: it is no version that we can read. */
function versionTakesIds(version: string | undefined): boolean | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? []
  if (major === undefined || minor === undefined) return undefined
  return Number(major) * 100 + Number(minor) >= 2026_01
}

function tagsIn(answer: unknown): readonly JsonRecord[] {
  const extras = recordAt(answer, 'extras')
  // Those of a group or a category may be in its list alone.
  const lists = [...recordsAt(extras, 'tag_groups'), ...recordsAt(extras, 'categories')]
  return [answer, ...lists].flatMap((list) => recordsAt(list, 'tags'))
}

function idsByName(tags: readonly JsonRecord[]): ReadonlyMap<string, number> {
  return new Map(
    tags.flatMap((tag): [string, number][] => {
      const id = idAt(tag, 'id')
      const name = textAt(tag, 'name') ?? textAt(tag, 'text')
      return id === undefined || name === undefined ? [] : [[name.toLowerCase(), id]]
    }),
  )
}

/** Tagging is off: what a forum says to tags then is its own matter. */
function noTags(error: unknown): unknown {
  if (error instanceof ForumFailure && error.code === 'not_found') return {}
  throw error
}
