import type { Writer } from '../changes/writer.js'
import { repairedMax } from '../limits.js'
import { moveCodingMeta } from '../project/coding-meta.js'
import type { FoundCoding } from '../project/findings-of-codings.js'
import { numberIn } from '../project/segments.js'

/** What of the codings looked at is not where it is stored. Keeps no rows: a project may have many. */
export class Candidates {
  /** Id, start and end of those that are to be moved now. */
  readonly places: (readonly [number, number, number])[] = []
  /** The first of them. */
  readonly broken: number[] = []
  brokenCount = 0
  /** How many are left for the next call. */
  remaining = 0

  add({ coding: { id }, placed: { verified, start, end } }: FoundCoding): void {
    switch (verified) {
      case 'exact':
        return
      case 'utf16':
      case 'shifted':
        if (this.places.length < repairedMax) this.places.push([id, start, end])
        else this.remaining += 1
        return
      case 'broken':
        this.brokenCount += 1
        if (this.broken.length < repairedMax) this.broken.push(id)
        return
      default:
        throw new Error(verified satisfies never)
    }
  }
}

interface Repaired {
  readonly segment_id: number
  readonly verified: 'utf16' | 'shifted'
  readonly old: Range
  readonly new: Range
}

interface Range {
  readonly start_position: number | null
  readonly end_position: number | null
}

/** Moves codings to where their text is. */
export class Repair {
  readonly repaired: Repaired[] = []
  readonly skipped: { readonly segment_id: number; readonly reason: string }[] = []
  readonly #writer: Writer

  constructor(writer: Writer) {
    this.#writer = writer
  }

  /** One may stand where another one goes, and go itself: what had no room is tried again until nothing moves any more. */
  all(found: readonly FoundCoding[]): void {
    let left = found
    for (let before = Number.POSITIVE_INFINITY; left.length > 0 && left.length < before; ) {
      before = left.length
      left = left.filter((each) => !this.#move(each))
    }
    for (const { coding } of left)
      this.skip(coding.id, 'the same coder has the same code there already; remove one of the two')
  }

  skip(segment: number, reason: string): void {
    this.skipped.push({ segment_id: segment, reason })
  }

  /** Whether there was room. */
  #move({ coding, placed }: FoundCoding): boolean {
    const { verified, start, end } = placed
    if (verified !== 'utf16' && verified !== 'shifted') return true
    if (this.#isTaken({ coding, placed })) return false
    const { id, cid, fid, pos0, pos1, owner, important } = coding
    this.#writer.update('code_text', id, { pos0: start, pos1: end })
    const after = { id, cid, fid, pos0: start, pos1: end, owner, important }
    moveCodingMeta(this.#writer, 'text', coding, after)
    this.repaired.push({
      segment_id: id,
      verified,
      old: { start_position: numberIn(pos0), end_position: numberIn(pos1) },
      new: { start_position: start, end_position: end },
    })
    return true
  }

  #isTaken({ coding: { id, cid, fid, owner }, placed: { start, end } }: FoundCoding): boolean {
    const sql =
      'SELECT 1 FROM main.code_text WHERE cid = ? AND fid = ? AND pos0 = ? AND pos1 = ? AND owner = ? AND ctid <> ?'
    return this.#writer.db.value(sql, cid, fid, start, end, owner, id) !== undefined
  }
}
