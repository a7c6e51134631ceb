import type { Writer } from '../changes/writer.js'
import { coderNameLengthMax } from '../limits.js'
import type { LossList } from '../refi/loss-list.js'
import type { RefiUser } from '../refi/model.js'
import { importedName } from './import-context.js'
import type { ImportCounts } from './import-counts.js'
import { keepGuidOfName } from './kept-guids.js'

/** Authors by their GUIDs. What nobody is named for is the importer's. */
export class ImportUsers {
  readonly #writer: Writer
  readonly #names = new Map<string, string>()
  readonly #unknown = new Set<string>()
  readonly #losses: LossList

  constructor(writer: Writer, users: readonly RefiUser[], losses: LossList, counts: ImportCounts) {
    this.#writer = writer
    this.#losses = losses
    const hasCoders = writer.db.has('coder_names')
    for (const user of users) {
      const given = { element: 'User', guid: user.guid, name: user.name ?? user.id }
      const otherwise = `User ${this.#names.size + 1}`
      const name = importedName({ losses }, given, { otherwise, lengthMax: coderNameLengthMax, slashes: 'allowed' })
      this.#names.set(user.guid, name)
      const isKnown = hasCoders && writer.db.value('SELECT 1 FROM main.coder_names WHERE name = ?', name) !== undefined
      if (isKnown) counts.join('users')
      else {
        if (hasCoders) writer.insert('coder_names', { name, visibility: 1 })
        counts.create('users')
      }
      const isKept = writer.db.value("SELECT 1 FROM side.object_guid WHERE kind = 'user' AND fp = ?", name)
      if (isKept === undefined) keepGuidOfName(writer, 'user', name, user.guid)
    }
  }

  nameOf(guid: string | null): string {
    if (guid === null) return this.#writer.coder()
    const name = this.#names.get(guid)
    if (name !== undefined) return name
    if (!this.#unknown.has(guid)) this.#losses.add('User', guid, 'who it is, for Users does not name them')
    this.#unknown.add(guid)
    return this.#writer.coder()
  }
}
