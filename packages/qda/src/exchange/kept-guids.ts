import type { Writer } from '../changes/writer.js'
import { codingFingerprint } from '../project/coding-meta.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { normalGuid } from '../refi/refi-guid.js'

/** Things that came from elsewhere and have no table of their own beside the project's for that. */
export type KeptKind = 'code' | 'category' | 'case' | 'journal' | 'annotation' | 'variable' | 'user'

/** What tells a row from a later one that SQLite gave the same id; its name may change. */
export const rowFingerprint = (owner: unknown, date: unknown): string => `${owner ?? ''}\n${date ?? ''}`

/** Of a row that was just made. Variables and users have no ids, but names: these take the place of `fingerprint`. */
export function keepGuid(writer: Writer, kind: KeptKind, rowId: number, fp: string, guid: string): void {
  writer.deleteWhere('object_guid', 'kind = ? AND row_id = ?', kind, rowId)
  writer.insert('object_guid', { kind, row_id: rowId, fp, guid })
}

/** Of a variable or a user, that is known by its name alone. */
export function keepGuidOfName(writer: Writer, kind: 'variable' | 'user', name: string, guid: string): void {
  writer.deleteWhere('object_guid', 'kind = ? AND fp = ?', kind, name)
  const last = writer.db.value<number | null>('SELECT max(row_id) FROM side.object_guid WHERE kind = ?', kind) ?? 0
  writer.insert('object_guid', { kind, row_id: last + 1, fp: name, guid })
}

/** The GUIDs that the project's things came with. */
export class KeptGuids {
  readonly #byRow = new Map<string, { readonly fp: string; readonly guid: string }>()
  readonly #byName = new Map<string, string>()
  readonly #all = new Set<string>()
  readonly #codings = new Map<string, { readonly fp: string; readonly guid: string }>()

  constructor(db: ProjectDatabase) {
    for (const { kind, row_id, fp, guid } of db.all<KeptRow>('SELECT kind, row_id, fp, guid FROM side.object_guid')) {
      this.#byRow.set(`${kind}:${row_id}`, { fp, guid })
      this.#byName.set(`${kind}:${fp}`, guid)
      this.#all.add(guid)
    }
    const codings = db.iterate<KeptRow>(
      'SELECT kind, row_id, fp, guid FROM side.coding_meta WHERE guid IS NOT NULL ORDER BY id',
    )
    for (const { kind, row_id, fp, guid } of codings) {
      this.#codings.set(`${kind}:${row_id}`, { fp, guid })
      this.#all.add(guid)
    }
    for (const { guid } of db.all<{ readonly guid: string }>(
      'SELECT guid FROM side.source_meta WHERE guid IS NOT NULL',
    ))
      this.#all.add(guid)
  }

  /** Whether something came with it. */
  has(guid: string): boolean {
    return this.#all.has(guid)
  }

  ofRow(kind: KeptKind, id: number, fp: string): string | null {
    return own(this.#byRow.get(`${kind}:${id}`), fp)
  }

  ofName(kind: 'variable' | 'user', name: string): string | null {
    const guid = this.#byName.get(`${kind}:${name}`)
    return guid === undefined ? null : normalGuid(guid)
  }

  ofCoding(kind: string, coding: Parameters<typeof codingFingerprint>[0] & { readonly id: number }): string | null {
    const kept = this.#codings.get(`${kind}:${coding.id}`)
    return kept === undefined ? null : own(kept, codingFingerprint(coding))
  }
}

type KeptRow = {
  readonly kind: string
  readonly row_id: number
  readonly fp: string
  readonly guid: string
}

function own(kept: { readonly fp: string; readonly guid: string } | undefined, fp: string): string | null {
  return kept?.fp === fp ? normalGuid(kept.guid) : null
}
