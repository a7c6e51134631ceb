import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import { autoCodingsMax, batchTextUnitsMax } from '../limits.js'
import { insertCoding } from '../project/codings.js'
import { loadCoded } from '../project/codings-of-code.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { readText } from '../project/search-sources.js'
import { requireSource } from '../project/sources.js'
import { detached } from '../text/detached.js'
import { textHash } from '../text/text-hash.js'
import { TextIndex, type TextRange } from '../text/text-index.js'

/** A source in which something was found, and which text it had then. */
export interface FoundSource {
  readonly id: number
  readonly name: string
  readonly textHash: string
}

/** Throws SOURCE_NOT_FOUND, or TEXT_CHANGED where what was found may stand elsewhere by now. */
export function requireSameText(db: ProjectDatabase, { id, name, textHash: seen }: FoundSource): TextIndex {
  requireSource(db, id)
  // As it is in this transaction: what a cache has may be older.
  const text = readText(db, id)!
  if (textHash(text) === seen) return new TextIndex(text)
  throw new QdaFailure(
    'TEXT_CHANGED',
    `The text of '${name}' was changed meanwhile; nothing was coded. Repeat the call`,
    {
      details: { source_id: id },
    },
  )
}

/** Codes passages of texts, but for those that the actor has coded alike. */
export class PassageCoder {
  coded = 0
  skipped = 0
  readonly #writer: Writer

  constructor(writer: Writer) {
    this.#writer = writer
  }

  /** Passages of one source that do not overlap; positions in code points. */
  code(codeId: number, sourceId: number, index: TextIndex, passages: readonly TextRange[]): void {
    const { db, act } = this.#writer
    const known = loadCoded(db, index, { codeId, sourceId, coder: act.coder })
    for (const { start, end } of passages) {
      if (known.same(start, end) !== undefined || known.isTaken(start, end)) {
        this.skipped += 1
        continue
      }
      const text = detached(index.slice(start, end))
      insertCoding(this.#writer, { cid: codeId, fid: sourceId, start, end, text })
      this.coded += 1
    }
  }
}

/** Throws INVALID_ARGUMENT for more than one transaction should hold. `units`: of the texts of all passages. */
export function requireFewPassages(count: number, units: number): void {
  const what =
    count > autoCodingsMax
      ? `${count} passages were found, and one call codes at most ${autoCodingsMax}`
      : `The passages that were found are too long: one call codes at most ${batchTextUnitsMax} characters`
  if (count <= autoCodingsMax && units <= batchTextUnitsMax) return
  throw new QdaFailure('INVALID_ARGUMENT', `${what}; nothing was coded`, {
    details: { passages: count, limit: autoCodingsMax },
    suggestions: ['Give source_ids, and call once for each part of the sources.', 'Look for something rarer.'],
  })
}
