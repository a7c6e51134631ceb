import { storable } from '@callboard/store'
import { recordNameLengthMax, suggestionRowsPerInsert } from '../limits.js'
import { projectKey, storedPath } from './projects.js'
import type { Database, QdaSchema, SuggestionStatus } from './schema.js'
import { positionOf, type SuggestionPosition, suggestionCursor } from './suggestion-cursor.js'

/** What a list over all projects needs to know of a suggestion. */
export interface MirroredSuggestion {
  /** A UUID. */
  readonly id: string
  readonly kind: string
  readonly tool: string
  readonly actor: string
  readonly status: SuggestionStatus
  /** UTC ms. */
  readonly createdAt: number
  /** All of it, as its project holds it; comes back as JSON has it. */
  readonly record: { readonly [key: string]: unknown }
}

export interface KnownSuggestion extends MirroredSuggestion {
  readonly projectPath: string
}

export interface SuggestionQuery {
  /** Default: any. */
  readonly status?: SuggestionStatus | undefined
  /** Default: any. */
  readonly projectPath?: string | undefined
  readonly limit: number
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

export interface SuggestionPage {
  /** Of all pages, as it is now. */
  readonly totalCount: number
  /** The oldest first. */
  readonly suggestions: readonly KnownSuggestion[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}

/**
 * In place of all that is mirrored of that project; `db` is to be a transaction. A copy of a project has the same suggestions:
 * they are those of the folder that was mirrored last.
 */
export async function mirrorSuggestions(
  db: Database,
  path: string,
  suggestions: readonly MirroredSuggestion[],
): Promise<void> {
  await db.deleteFrom('suggestions').where('project', '=', projectKey(path)).execute()
  for (let first = 0; first < suggestions.length; first += suggestionRowsPerInsert) {
    const rows = suggestions.slice(first, first + suggestionRowsPerInsert).map((suggestion) => rowOf(path, suggestion))
    await db
      .insertInto('suggestions')
      .values(rows)
      .onConflict((same) =>
        same.column('id').doUpdateSet(({ ref }) => ({
          project: ref('excluded.project'),
          project_path: ref('excluded.project_path'),
          kind: ref('excluded.kind'),
          tool: ref('excluded.tool'),
          actor: ref('excluded.actor'),
          status: ref('excluded.status'),
          created_at: ref('excluded.created_at'),
          record: ref('excluded.record'),
        })),
      )
      .execute()
  }
}

export async function findSuggestion(db: Database, id: string): Promise<KnownSuggestion | undefined> {
  const row = await db
    .selectFrom('suggestions')
    .selectAll()
    .where('id', '=', storable(id, recordNameLengthMax))
    .executeTakeFirst()
  return row && suggestionOf(row)
}

/** A page, and where the next one begins: what is decided meanwhile moves no other. Throws a QdaFailure for a cursor that is none. */
export async function listSuggestions(db: Database, query: SuggestionQuery): Promise<SuggestionPage> {
  const { limit, cursor } = query
  const after = cursor === undefined ? undefined : positionOf(cursor)
  const { count } = await matching(db, query)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  // One more tells whether there is a next page.
  const rows = await pageAfter(matching(db, query), after)
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  const suggestions = rows.slice(0, limit).map(suggestionOf)
  const last = suggestions.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { totalCount: Number(count), suggestions, ...(hasMore && { nextCursor: suggestionCursor(last) }) }
}

function matching(db: Database, { status, projectPath }: SuggestionQuery) {
  return db
    .selectFrom('suggestions')
    .$if(status !== undefined, (query) => query.where('status', '=', status!))
    .$if(projectPath !== undefined, (query) => query.where('project', '=', projectKey(projectPath!)))
}

function pageAfter(query: ReturnType<typeof matching>, after: SuggestionPosition | undefined) {
  if (after === undefined) return query
  return query.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
  )
}

function rowOf(path: string, { id, kind, tool, actor, status, createdAt, record }: MirroredSuggestion) {
  return {
    id: storable(id, recordNameLengthMax),
    project: projectKey(path),
    project_path: storedPath(path),
    kind: storable(kind, recordNameLengthMax),
    tool: storable(tool, recordNameLengthMax),
    actor: storable(actor, recordNameLengthMax),
    status,
    created_at: createdAt,
    record: JSON.stringify(record),
  }
}

function suggestionOf(row: QdaSchema['suggestions']): KnownSuggestion {
  const { id, project_path: projectPath, kind, tool, actor, status, created_at: createdAt, record } = row
  return { id, projectPath, kind, tool, actor, status, createdAt, record: JSON.parse(record) }
}
