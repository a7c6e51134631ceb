import type { OpenProject } from '../project/open-project.js'
import { normalGuid, refiGuid } from '../refi/refi-guid.js'
import { KeptGuids } from './kept-guids.js'

/** GUIDs of one export: those that things came with, else made of the project's own and their ids. None is given twice. */
export class ExportGuids {
  readonly kept: KeptGuids
  readonly #projectUid: string
  readonly #given = new Set<string>()

  constructor({ db, uid, path }: Pick<OpenProject, 'db' | 'uid' | 'path'>) {
    this.kept = new KeptGuids(db)
    // A project that can't be written has none yet.
    this.#projectUid = normalGuid(uid ?? '') ?? refiGuid(withoutUid, 'project', path)
  }

  of(kind: string, id: number | string, kept: string | null = null): string {
    const guid = this.#free(kept) ?? this.#free(refiGuid(this.#projectUid, kind, id)) ?? this.#another(kind, id)
    this.#given.add(guid)
    return guid
  }

  /** Of what belongs to another thing, so that it is the same wherever that one is. */
  part(guid: string, kind: string, id: number | string = ''): string {
    const part = refiGuid(guid, kind, id)
    return this.#given.has(part) ? this.of(kind, `${guid}:${id}`) : this.#noted(part)
  }

  #free(guid: string | null): string | null {
    return guid === null || this.#given.has(guid) ? null : guid
  }

  #another(kind: string, id: number | string): string {
    for (let number = 2; ; number += 1) {
      const guid = this.#free(refiGuid(this.#projectUid, kind, `${id}:${number}`))
      if (guid !== null) return guid
    }
  }

  #noted(guid: string): string {
    this.#given.add(guid)
    return guid
  }
}

const withoutUid = '5c4b7a52-3f0e-4d5c-9d86-0c1a1d3ef6a1'
