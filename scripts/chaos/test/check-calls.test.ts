import { describe, expect, it } from 'vitest'
import { type CallRules, checkCalls, failureDelays } from '../check-calls.js'
import type { CallRecord, RunRecord } from '../records.js'

const rules: CallRules = { allowedFailures: ['outcome_unknown'] }

const answered: CallRecord = {
  canary: 'call-1',
  kind: 'record',
  sentAt: 1_000,
  answeredAt: 1_020,
  answers: 1,
  outcome: 'result',
  foreign: 0,
  process: 'replica-0',
}
const run: RunRecord = { canary: 'call-1', kind: 'record', process: 'replica-0', startedAt: 1_005, endedAt: 1_015 }
const repeatable = { ...answered, kind: 'read' } as const

describe('checkCalls', () => {
  it('finds nothing where every promise was kept', () => {
    expect(broken([answered], [run])).toEqual([])
  })

  it('lets calls that may be repeated run twice', () => {
    expect(broken([repeatable], [{ ...run, kind: 'read', process: 'replica-1' }, run])).toEqual([])
  })

  it('lets calls without a hint fail in the ways that are allowed, whether they ran or not', () => {
    const failed = without({ ...answered, outcome: 'outcome_unknown' }, 'process')
    expect(broken([failed], [run])).toEqual([])
    expect(broken([failed], [])).toEqual([])
  })

  it('finds a call that was never answered', () => {
    const silent = without({ ...answered, answers: 0 }, 'answeredAt', 'outcome', 'process')
    expect(broken([silent], [run])).toEqual(['calls without exactly one answer'])
  })

  it('finds a call that was answered twice', () => {
    expect(broken([{ ...answered, answers: 2 }], [run])).toEqual(['calls without exactly one answer'])
  })

  it('finds an answer that belongs to another call', () => {
    expect(broken([{ ...answered, foreign: 1 }], [run])).toEqual(['answers that belong to another call'])
  })

  it('finds a call without a hint that ran twice', () => {
    const again = { ...run, process: 'replica-1' }
    expect(broken([answered], [run, again])).toEqual(['calls without a hint that ran twice'])
    expect(broken([answered], [run, run])).toEqual(['calls without a hint that ran twice'])
  })

  it('finds a result of a call that did not run', () => {
    expect(broken([answered], [])).toEqual(['results of what did not run to its end'])
  })

  it('finds a result of a run that has not ended', () => {
    expect(broken([answered], [without(run, 'endedAt')])).toEqual(['results of what did not run to its end'])
  })

  it('finds a result of a replica that did not run it', () => {
    expect(broken([{ ...answered, process: 'replica-3' }], [run])).toEqual(['results of what did not run to its end'])
  })

  it('finds a call that ran although it was said not to have', () => {
    const denied = { ...answered, outcome: 'unavailable' }
    expect(broken([denied], [run], { allowedFailures: ['unavailable'] })).toEqual([
      'calls said not to have run that did',
    ])
    expect(broken([denied], [], { allowedFailures: ['unavailable'] })).toEqual([])
  })

  it('finds every failure of a call that may be repeated', () => {
    expect(broken([{ ...repeatable, outcome: 'outcome_unknown' }], [])).toEqual(['failed calls that may be repeated'])
  })

  it('finds a failure that is not one of those allowed', () => {
    const failed = { ...answered, outcome: 'deadline_exceeded' }
    expect(broken([failed], [run])).toEqual(['failed calls without a hint, other than outcome_unknown'])
  })

  it('finds a call that began after its answer', () => {
    const failed = { ...answered, outcome: 'outcome_unknown' }
    const late = { ...run, startedAt: 1_021, endedAt: 1_031 }
    expect(broken([failed], [late])).toEqual(['calls that began after their answer'])
    expect(broken([repeatable], [run, late])).toEqual(['calls that began after their answer'])
  })

  it('finds a run that nobody asked for', () => {
    expect(broken([answered], [run, { ...run, canary: 'call-2' }])).toEqual(['executions that nobody asked for'])
  })

  it('counts all and describes the first few', () => {
    const calls = Array.from({ length: 5 }, (_, index) => ({ ...answered, canary: `call-${index}`, answers: 2 }))
    const [finding] = checkCalls({ calls, runs: [run] }, rules)
    expect(finding).toMatchObject({ count: 5 })
    expect(finding?.examples).toEqual([
      'record call-0: result at +20.0 ms (2 answers)',
      'record call-1: result at +20.0 ms (2 answers), ran on replica-0 from +5.0 ms to +15.0 ms',
      'record call-2: result at +20.0 ms (2 answers)',
    ])
  })
})

describe('failureDelays', () => {
  const failed = without({ ...answered, outcome: 'outcome_unknown' }, 'process')
  const fault = (at: number, process = 'replica-0') => ({ at, process })

  it('counts from the fault of the replica that ran the call', () => {
    expect(failureDelays({ calls: [failed], runs: [run] }, [fault(1_010), fault(1_015, 'replica-1')])).toEqual([10])
  })

  it('counts from the oldest fault that it can be where the call never began', () => {
    const faults = [fault(900), fault(1_005), fault(1_015, 'replica-1')]
    expect(failureDelays({ calls: [failed], runs: [] }, faults)).toEqual([15])
  })

  it('takes a fault into account that the hub did not know of yet when the call came', () => {
    expect(failureDelays({ calls: [failed], runs: [] }, [fault(998)])).toEqual([22])
    expect(failureDelays({ calls: [failed], runs: [] }, [fault(100), fault(900)])).toEqual([120])
  })

  it('is endless for a failure that no fault explains', () => {
    expect(failureDelays({ calls: [failed], runs: [run] }, [fault(1_010, 'replica-1')])).toEqual([
      Number.POSITIVE_INFINITY,
    ])
    expect(failureDelays({ calls: [failed], runs: [] }, [fault(1_021)])).toEqual([Number.POSITIVE_INFINITY])
  })

  it('says nothing of results', () => {
    expect(failureDelays({ calls: [answered], runs: [run] }, [fault(1_010)])).toEqual([])
  })
})

/** What was found to be broken. */
function broken(calls: readonly CallRecord[], runs: readonly RunRecord[], more: Partial<CallRules> = {}): string[] {
  const findings = checkCalls({ calls, runs }, { ...rules, ...more })
  return findings.filter(({ count }) => count > 0).map(({ what }) => what)
}

function without<Value extends object, Key extends keyof Value>(value: Value, ...keys: Key[]): Omit<Value, Key> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key as Key))) as Omit<Value, Key>
}
