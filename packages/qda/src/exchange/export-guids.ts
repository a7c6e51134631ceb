import type { OpenProject } from '../project/open-project.js'
import { normalGuid, refiGuid } from '../refi/refi-guid.js'
import { KeptGuids } from './kept-guids.js'

/** GUIDs of one export: those that things came with, else made of the project's own and their ids. None is given twice. */
export class ExportGuids {
  readonly kept: KeptGuids
  readonly #projectUid: string
  /** Of those that things came with: no two that are made here are alike. */
  readonly #given = new Set<string>()

  constructor({ db, uid, path }: Pick<OpenProject, 'db' | 'uid' | 'path'>) {
    this.kept = new KeptGuids(db)
    // A project that can't be written has none yet.
    this.#projectUid = normalGuid(uid ?? '') ?? refiGuid(withoutUid, 'project', path)
  }

  of(kind: string, id: number | string, kept: string | null = null): string {
    if (kept !== null && this.#take(kept)) return kept
    for (let number = 1; ; number += 1) {
      const guid = refiGuid(this.#projectUid, kind, number === 1 ? id : `${id}:${number}`)
      if (!this.kept.has(guid) || this.#take(guid)) return guid
    }
  }

  /** Of what belongs to another thing, so that it is the same wherever that one is. */
  part(guid: string, kind: string, id: number | string = ''): string {
    return refiGuid(guid, kind, id)
  }

  #take(guid: string): boolean {
    if (this.#given.has(guid)) return false
    this.#given.add(guid)
    return true
  }
}

const withoutUid = '5c4b7a52-3f0e-4d5c-9d86-0c1a1d3ef6a1'
