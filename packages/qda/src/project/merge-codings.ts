import type { Writer } from '../changes/writer.js'
import { joinMemos } from '../text/private-memo.js'
import {
  type CodingIdentity,
  type CodingKind,
  codingIdentity,
  codingMeta,
  codingTables,
  dropCodingMeta,
  moveCodingMeta,
  setCodingMeta,
} from './coding-meta.js'
import { relinkTexts } from './linked-texts.js'
import type { ProjectDatabase } from './project-database.js'

export interface MergedCodings {
  /** Now of the other code. */
  readonly moved: number
  /** Gone, as the other code has a coding of the same coder in the same place. */
  readonly duplicates: number
}

const kinds = ['text', 'image', 'av'] as const satisfies readonly CodingKind[]

/** What merging the codings of one code into those of another comes to. */
export function countMerge(db: ProjectDatabase, sourceId: number, targetId: number): MergedCodings {
  let total = 0
  let moved = 0
  for (const kind of kinds) {
    const { table } = codingTables[kind]
    const places = `SELECT ${placeColumns(db, kind).join(', ')} FROM main.${table} WHERE cid = ?`
    total += db.value(`SELECT count(*) FROM main.${table} WHERE cid = ?`, sourceId) ?? 0
    moved += db.value(`SELECT count(*) FROM (${places} EXCEPT ${places})`, sourceId, targetId) ?? 0
  }
  return { moved, duplicates: total - moved }
}

/** No two codings of the code that stays are of one coder in one place; of those that would be, one keeps what both had. */
export function mergeCodings(writer: Writer, sourceId: number, targetId: number): MergedCodings {
  let moved = 0
  let duplicates = 0
  for (const kind of kinds) {
    const { table } = codingTables[kind]
    const taken = new Map(codingsOf(writer.db, kind, targetId).map(({ id, place }) => [place, id]))
    const replaced = new Map<number, number>()
    for (const { id, place } of codingsOf(writer.db, kind, sourceId)) {
      const coding = codingIdentity(writer.db, kind, id)!
      const kept = taken.get(place)
      if (kept === undefined) {
        writer.update(table, id, { cid: targetId })
        moveCodingMeta(writer, kind, coding, { ...coding, cid: targetId })
        taken.set(place, id)
        moved += 1
      } else {
        mergeCoding(writer, kind, coding, codingIdentity(writer.db, kind, kept)!)
        replaced.set(id, kept)
        duplicates += 1
      }
    }
    if (kind === 'av') relinkTexts(writer, replaced)
  }
  return { moved, duplicates }
}

/** Memos hold what both said, and the higher importance stays. */
function mergeCoding(writer: Writer, kind: CodingKind, gone: CodingIdentity, kept: CodingIdentity): void {
  const { table } = codingTables[kind]
  const memoOf = ({ id }: CodingIdentity) => {
    const memo = writer.row(table, id)?.['memo']
    return typeof memo === 'string' ? memo : null
  }
  const memo = memoOf(gone)
  if (memo) writer.update(table, kept.id, { memo: joinMemos(memoOf(kept), memo) })
  const { importance } = codingMeta(writer.db, kind, gone)
  if (importance > codingMeta(writer.db, kind, kept).importance) setCodingMeta(writer, kind, kept, { importance })
  dropCodingMeta(writer, kind, gone.id)
  writer.delete(table, gone.id)
}

function codingsOf(db: ProjectDatabase, kind: CodingKind, codeId: number) {
  const { table, key } = codingTables[kind]
  // What quote() gives differs for everything that differs, also for NULL and bytes.
  const place = placeColumns(db, kind)
    .map((column) => `quote(${column})`)
    .join(" || ',' || ")
  return db.all<{ readonly id: number; readonly place: string }>(
    `SELECT ${key} AS id, ${place} AS place FROM main.${table} WHERE cid = ? ORDER BY ${key}`,
    codeId,
  )
}

function placeColumns(db: ProjectDatabase, kind: CodingKind): readonly string[] {
  switch (kind) {
    case 'text':
      return ['fid', 'pos0', 'pos1', 'owner']
    case 'image':
      return ['id', 'x1', 'y1', 'width', 'height', 'owner', ...(db.has('code_image', 'pdf_page') ? ['pdf_page'] : [])]
    case 'av':
      return ['id', 'pos0', 'pos1', 'owner']
    default:
      return kind satisfies never
  }
}
