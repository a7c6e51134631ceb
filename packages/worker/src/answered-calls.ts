import type { CallId } from '@callboard/protocol'
import { answeredMax } from './limits.js'

/**
 * The calls that were lately answered in this sign-in, to tell a doubled REQUEST. [CB-34] In two generations, of which the
 * older goes as a whole: that costs less than to forget one for each that comes.
 */
export class AnsweredCalls {
  #recent = new Set<string | number>()
  #older = new Set<string | number>()
  #highest = -1

  has(id: CallId): boolean {
    const key = serialOf(id)
    // As a rule each is the next one of its hub.
    if (typeof key === 'number' && key > this.#highest) return false
    return this.#recent.has(key) || this.#older.has(key)
  }

  add(id: CallId): void {
    const key = serialOf(id)
    if (typeof key === 'number' && key > this.#highest) this.#highest = key
    this.#recent.add(key)
    if (this.#recent.size < answeredMax / 2) return
    this.#older = this.#recent
    this.#recent = new Set()
  }

  clear(): void {
    this.#recent = new Set()
    this.#older = new Set()
    this.#highest = -1
  }
}

/**
 * All calls of a sign-in have the epoch in common, so the number behind it is enough [CB-31], and takes no memory of its
 * own. An id that ends in something else stands for itself.
 */
function serialOf(id: CallId): string | number {
  const start = id.lastIndexOf('-') + 1
  const isNumber = id.length > start && id.length - start <= digitsMax && id.charCodeAt(start) !== zero
  let serial = 0
  for (let index = start; isNumber && index < id.length; index++) {
    const digit = id.charCodeAt(index) - zero
    if (digit < 0 || digit > 9) return id
    serial = serial * 10 + digit
  }
  return isNumber ? serial : id
}

const zero = 0x30
/** Of more, not every number is one of JavaScript's. */
const digitsMax = 15
