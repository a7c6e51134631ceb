import { beforeAll, describe, expect, it } from 'vitest'
import { batchAnswerBytesMax, batchOperationsMax } from '../../src/limits.js'
import { openCodedProject } from '../support/coded-project.js'
import type { TestAnswer } from '../support/whole-qda.js'

// A batch that is stored must be answered, and a message holds 4 MiB.
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const times = (count: number, operation: (index: number) => unknown) =>
  Array.from({ length: count }, (_, i) => operation(i))

/** Twenty times the same long sentence, of characters of four bytes. */
const text = `${'𝔖𝔢𝔫𝔱𝔢𝔫𝔠𝔢 '.repeat(30)}\n`.repeat(20)

describe('the answer to the largest batch fits into a message', () => {
  let ambiguous: TestAnswer
  let overlapping: TestAnswer
  let spread: TestAnswer
  beforeAll(async () => {
    await using project = await openCodedProject([text, `begin${' '.repeat(50_000)}end`])
    const call = (operations: readonly unknown[]) => project.call('batch_apply_codes', { operations })
    ambiguous = await call(times(batchOperationsMax, () => ({ code_id: 1, source_id: 1, quote: '𝔖𝔢𝔫𝔱𝔢𝔫𝔠𝔢' })))
    spread = await call(times(200, () => ({ code_id: 1, source_id: 2, quote: 'begin end' })))
    overlapping = await call(
      times(batchOperationsMax, (i) => ({
        code_id: 2,
        source_id: 1,
        start_position: i % 100,
        end_position: (101 + i / 100) | 0,
      })),
    )
  }, 60_000)

  it('where each fails and has ten places to choose from', () => {
    const { data } = ambiguous
    expect(bytesOf(data.results)).toBeLessThan(batchAnswerBytesMax)
    expect(data).toMatchObject({ total: batchOperationsMax, failed: batchOperationsMax })
    expect(data.results[0].details.candidates).toHaveLength(10)
    expect(data.results.at(-1)).toEqual({
      ...{ index: batchOperationsMax - 1, success: false, error_code: 'AMBIGUOUS_QUOTE' },
      error: expect.stringMatching(/^The quote is in the text/),
    })
  })

  it('where each lies over five others', () => {
    const { data } = overlapping
    expect(bytesOf(data.results)).toBeLessThan(batchAnswerBytesMax)
    expect(data).toMatchObject({ total: batchOperationsMax, succeeded: batchOperationsMax })
    expect(data.results[9].overlaps).toHaveLength(5)
    const last = data.results.at(-1)
    expect(last).toMatchObject({ index: batchOperationsMax - 1, success: true, segment_id: expect.any(Number) })
    expect(last).toMatchObject({ overlaps: [], more_overlaps: true })
  })

  it('where a short quote stands for a long passage', () => {
    const { data } = spread
    expect(bytesOf(data.results)).toBeLessThan(batchAnswerBytesMax)
    expect(data.results[0].selected_text).toHaveLength(50_008)
    expect(data.results.at(-1)).toEqual({
      ...{ index: 199, success: true, segment_id: data.results[0].segment_id, created: false, overlaps: [] },
      ...{ start_position: 0, end_position: 50_008, matched: 'folded' },
    })
  })
})
