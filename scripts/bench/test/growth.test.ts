import { describe, expect, it } from 'vitest'
import { type Caller, callInTurn } from '../call-lanes.js'
import { measureGrowth, median, type Subject, seriesOf, staysFlat } from '../growth.js'
import { memoryRow } from '../memory-row.js'
import { rowsTable } from '../scale-report.js'

/** A hub whose calls cost so many µs each, whoever asks. */
function hubOf(series: string, count: number, costs: readonly number[]): Subject {
  let used = 0
  let window = 0
  const probe = { cpuMicros: () => Promise.resolve(used) } as Subject['probe']
  const run = async (inFlight: number) => {
    if (inFlight === 1) return [count / 10, count / 10]
    used += costs[Math.min(window++, costs.length - 1)]! * 50
    return Array.from({ length: 50 }, () => 1)
  }
  return { series, count, probe, inFlight: 16, run }
}

describe('growth', () => {
  it('is what a larger hub shows beside the smallest in the same round', async () => {
    // The first window warms; the machine is three times slower in the second round.
    const small = hubOf('calls', 1, [999, 10, 30, 10])
    const large = hubOf('calls', 100, [999, 12, 36, 12])
    const [, grown] = await measureGrowth([small, large], { rounds: 3, windowMs: 1 })
    expect(grown).toEqual({ series: 'calls', count: 100, cpuMicros: 12, p50Ms: 10, ratio: expect.closeTo(1.2, 9) })
  })

  it('is within each series', async () => {
    const subjects = [hubOf('one', 1, [10]), hubOf('one', 9, [11]), hubOf('all', 1, [20]), hubOf('all', 9, [50])]
    const growth = await measureGrowth(subjects, { rounds: 2, windowMs: 1 })
    expect(growth.map(({ ratio }) => ratio)).toEqual([1, 1.1, 1, 2.5])
    expect(seriesOf(growth)).toEqual([
      {
        name: 'one',
        points: [
          [1, 10],
          [9, 11],
        ],
      },
      {
        name: 'all',
        points: [
          [1, 20],
          [9, 50],
        ],
      },
    ])
    expect(staysFlat(growth, 'one', 'things')).toMatchObject({ isMet: true, measured: '1.10 × the smallest' })
    expect(staysFlat(growth, 'all', 'things')).toMatchObject({ isMet: false })
  })

  it('of memory is what one more takes', () => {
    expect(
      memoryRow('tool', [
        [10, 50_000],
        [100, 0],
        [110, 152_400],
      ]).figures,
    ).toEqual({ KiB: 1 })
  })
})

describe('rowsTable', () => {
  it('has a column for each figure, empty where a row has none', () => {
    const rows = [
      { what: 'a', count: 1_000, figures: { ms: 1.234 } },
      { what: 'long', count: 1, figures: { '%': 50 } },
    ]
    expect(rowsTable(rows)).toBe(['what     of    ms   %', 'a     1,000  1.23', 'long      1        50'].join('\n'))
  })
})

describe('callInTurn', () => {
  it('lets one caller have one call at a time, and all of them some', async () => {
    const calls = [0, 0, 0]
    let open = 0
    let mostOpen = 0
    const callers: Caller[] = calls.map((_, index) => ({
      call: async () => {
        calls[index]! += 1
        open += 1
        mostOpen = Math.max(mostOpen, open)
        await Promise.resolve()
        open -= 1
      },
    }))
    const times = await callInTurn(callers, 2, () => calls.reduce((sum, count) => sum + count) >= 9)
    expect(mostOpen).toBe(2)
    expect(calls.every((count) => count >= 3)).toBe(true)
    expect(times).toHaveLength(calls.reduce((sum, count) => sum + count))
  })
})

it.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[], 0],
])('the median of %j is %d', (values, middle) => expect(median(values)).toBe(middle))
