import { describe, expect, it } from 'vitest'
import { exitCode } from '../report/exit-code.js'
import { goalTable } from '../report/goal-table.js'
import { goals, judge } from '../report/goals.js'
import { scenarioTable } from '../report/scenario-table.js'
import { scenarios } from '../scenarios.js'
import { allSubjects } from '../subjects/all-subjects.js'
import type { ScenarioResult, SubjectFigures } from '../windows/run-scenario.js'

function figures(name: string, rates: readonly number[], hubCpusUs: readonly number[] = [10]): SubjectFigures {
  const [callsPerSecond = 0] = rates
  const costs = { hubCpuUs: hubCpusUs[0]!, hubCpusUs, cpuUs: 20, clientCpuUs: 5, hubMebibytes: 60, mebibytes: 100 }
  return {
    name,
    title: name,
    callsPerSecond,
    p50Us: 100,
    p99Us: 200,
    rates,
    p50sUs: rates.map((rate) => 1e6 / rate),
    ...costs,
  }
}

function result(name: string, subjects: readonly SubjectFigures[]): ScenarioResult {
  const scenario = scenarios.find((one) => one.name === name)!
  return { scenario, pinned: scenario.pinned, subjects }
}

const verdictsOf = (results: readonly ScenarioResult[]) =>
  Object.fromEntries(judge(results, {}).map(({ title, verdict }) => [title, verdict]))

describe('judge', () => {
  it('holds the median of the rounds against the bound, both ways', () => {
    const proxy = figures('proxy', [100, 50, 100])
    const fast = result('throughput-128', [proxy, figures('hub', [350, 175, 1], [15, 1, 90])])
    const slow = result('throughput-128', [proxy, figures('hub', [340, 170, 1_000], [15.1, 1, 90])])
    const rate = 'calls/s at 128 in flight, of those of the naive proxy, trusted'
    const cpu = 'CPU of the hub per call at 128 in flight, trusted, µs'
    expect(verdictsOf([fast])).toMatchObject({ [rate]: 'yes', [cpu]: 'yes' })
    expect(verdictsOf([slow])).toMatchObject({ [rate]: 'NO', [cpu]: 'NO' })
  })

  it('takes a latency for better when it is lower', () => {
    const title = 'latency of hub --stdio, of that of the naive proxy'
    const proxy = figures('proxy', [100])
    expect(verdictsOf([result('latency', [proxy, figures('hub', [106])])])).toMatchObject({ [title]: 'yes' })
    expect(verdictsOf([result('latency', [proxy, figures('hub', [104])])])).toMatchObject({ [title]: 'NO' })
  })

  it('takes by how much a guarded hub uses more than one that is not from pairs of the same round', () => {
    const title = 'CURVE and policy, µs of the hub’s CPU per call more than without, at 128 in flight'
    const plain = figures('socket', [100], [10, 100, 40])
    const judged = (hubCpusUs: readonly number[]) => {
      const guarded = figures('socket-keys-policy', [100], hubCpusUs)
      return judge([result('throughput-128', [plain, guarded])], {}).find((each) => each.title === title)
    }
    expect(judged([24, 115, 56])).toMatchObject({ found: { median: 15, lower: 14.5, upper: 15.5 }, verdict: 'yes' })
    expect(judged([26, 115, 56])).toMatchObject({ found: { median: 16 }, verdict: 'NO' })
  })

  it('judges nothing of a quick run, and says what it found', () => {
    const slow = result('throughput-16', [figures('proxy', [100]), figures('hub', [100])])
    const verdicts = judge([slow], { startColdMs: 501, idleMebibytes: 1 }, true)
    const found = verdicts.filter((each) => each.found !== undefined)
    expect(found.map(({ verdict }) => verdict)).toEqual(['not judged', 'not judged', 'not judged'])
    expect(new Set(verdicts.map(({ verdict }) => verdict))).toEqual(new Set(['not judged', 'not measured']))
    expect(goalTable(verdicts)).toMatch(/at least 1\.9 +1\.00 +not judged$/m)
  })

  it('says what was not measured, and judges the other figures', () => {
    expect(new Set(Object.values(verdictsOf([])))).toEqual(new Set(['not measured']))
    const { verdict, found } = judge([], { startColdMs: 501 }).find(({ title }) => title.includes('without a hub'))!
    expect([verdict, found?.median]).toEqual(['NO', 501])
  })
})

it('every goal is about scenarios and subjects that there are, and that meet', () => {
  for (const { scenario, subject, to, beyond } of goals) {
    const { way } = scenarios.find(({ name }) => name === scenario)!
    for (const name of [subject, to, beyond].filter((each) => each !== undefined)) {
      expect(['both', way]).toContain(allSubjects.find((one) => one.name === name)?.way)
    }
  }
})

it('a table has by how much what guards a hub costs it more, where the plain one is beside it', () => {
  const plain = figures('socket', [100], [10, 20, 30])
  const others = [figures('socket-checked', [100], [99]), figures('socket-keys', [100], [14, 25, 36])]
  const rows = scenarioTable(result('throughput-128', [plain, ...others])).split('\n')
  expect(rows[1]).toMatch(/hub µs − socket$/)
  expect(rows.find((row) => row.startsWith('socket-keys'))).toMatch(/ 60 +5\.0 \(4\.5–5\.5\)$/)
  expect(rows.find((row) => row.startsWith('socket-checked'))).toMatch(/ 60$/)
  expect(scenarioTable(result('throughput-128', others))).not.toContain('− socket')
})

it('only what was missed, or could not be measured, ends a run with 1', () => {
  expect(exitCode([{ verdict: 'yes' }, { verdict: 'not judged' }, { verdict: 'not measured' }], [])).toBe(0)
  expect(exitCode([{ verdict: 'yes' }, { verdict: 'NO' }], [])).toBe(1)
  expect(exitCode([{ verdict: 'not judged' }], ['socket'])).toBe(1)
})

it('the tables show ratios with their quartiles, and whether goals are met', () => {
  const one = result('throughput-16', [figures('proxy', [100, 100, 100]), figures('hub', [100, 200, 300])])
  expect(scenarioTable(one).split('\n')).toEqual([
    'Throughput, 16 in flight',
    '       calls/s  p50 µs  p99 µs  hub µs  all µs  client µs  hub MiB   calls/s / proxy',
    '-----  -------  ------  ------  ------  ------  ---------  -------  ----------------',
    'proxy      100     100     200    10.0    20.0        5.0       60                 1',
    'hub        100     100     200    10.0    20.0        5.0       60  2.00 (1.50–2.50)',
  ])
  const met = goalTable(judge([one], {}))
    .split('\n')
    .find((line) => line.includes('16 in flight') && line.includes('trusted'))
  expect(met).toMatch(/at least 1\.9 +2\.00 \(1\.50–2\.50\) +yes$/)
})
