import { textsCachedCharactersMax } from '../limits.js'
import { TextIndex } from '../text/text-index.js'
import type { ProjectDatabase } from './project-database.js'

/** Texts of sources that were used last. */
export class TextCache {
  readonly #db: ProjectDatabase
  readonly #texts = new Map<number, TextIndex>()
  #characters = 0

  constructor(db: ProjectDatabase) {
    this.#db = db
  }

  /** Undefined: there is no such source. Media without a text have an empty one. */
  get(sourceId: number): TextIndex | undefined {
    const known = this.#texts.get(sourceId)
    if (known !== undefined) {
      this.#texts.delete(sourceId)
      this.#texts.set(sourceId, known)
      return known
    }
    const row = this.#db.get<{ readonly fulltext: string | null }>(
      'SELECT fulltext FROM main.source WHERE id = ?',
      sourceId,
    )
    if (row === undefined) return undefined
    const index = new TextIndex(typeof row.fulltext === 'string' ? row.fulltext : '')
    this.#keep(sourceId, index)
    return index
  }

  clear(): void {
    this.#texts.clear()
    this.#characters = 0
  }

  #keep(sourceId: number, index: TextIndex): void {
    this.#texts.set(sourceId, index)
    this.#characters += index.text.length
    for (const [id, { text }] of this.#texts) {
      if (this.#characters <= textsCachedCharactersMax || id === sourceId) return
      this.#texts.delete(id)
      this.#characters -= text.length
    }
  }
}
