import type { UnitSpan } from './unit-span.js'

/** Every place where a text has another in it, also those that overlap, from left to right. */
export function* occurrences(text: string, wanted: string): Generator<UnitSpan> {
  if (wanted === '') return
  for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + 1)) {
    yield { start, end: start + wanted.length }
  }
}
