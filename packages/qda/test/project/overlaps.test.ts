import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CodedSpan, CodedSpans } from '../../src/project/overlaps.js'

const span = fc
  .tuple(fc.nat(60), fc.integer({ min: 1, max: 40 }))
  .map(([start, length]) => ({ start, end: start + length }))

describe('CodedSpans', () => {
  it('finds what shares a character with a passage, whatever was added when', () => {
    fc.assert(
      fc.property(
        fc.array(span, { maxLength: 300 }),
        fc.array(span, { maxLength: 300 }),
        span,
        (early, late, passage) => {
          const all: CodedSpan[] = [...early, ...late].map((each, id) => ({ ...each, id, owner: null }))
          const spans = new CodedSpans(all.slice(0, early.length))
          for (const each of all.slice(early.length)) spans.add(each)
          const found = spans.on(passage.start, passage.end, all.length).map(({ id }) => id)
          const wanted = all.filter(({ start, end }) => start < passage.end && end > passage.start).map(({ id }) => id)
          expect(found.toSorted((a, b) => a - b)).toEqual(wanted)
        },
      ),
    )
  })

  it('gives the first ones by start', () => {
    const spans = new CodedSpans([])
    for (const start of [9, 3, 6, 0]) spans.add({ id: start, start, end: 10, owner: null })
    expect(spans.on(9, 10, 2).map(({ id }) => id)).toEqual([0, 3])
  })
})
