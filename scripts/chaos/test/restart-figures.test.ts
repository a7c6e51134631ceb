import { describe, expect, it } from 'vitest'
import { failureOf } from '../patient-agent.js'
import * as figures from '../restart-figures.js'
import type { PatientCall } from '../steady-asking.js'

const restart: figures.Restart = {
  killedAt: 1_000,
  startedAt: 1_300,
  upAt: 1_700,
  joinedAt: [1_600, 1_800],
  workers: 2,
}
const next = { ...restart, killedAt: 5_000, startedAt: 5_300, upAt: 5_700, joinedAt: [5_900, 5_600] }

const call = (sentAt: number, settledAt: number | undefined, more: Partial<PatientCall> = {}): PatientCall => ({
  canary: `call-${sentAt}`,
  kind: 'record',
  agent: 'one',
  way: 'facade',
  sentAt,
  answers: 1,
  foreign: 0,
  outcome: 'result',
  ...(settledAt !== undefined && { settledAt }),
  ...more,
})

describe('the figures of a restart', () => {
  it('are counted from the start of the new hub, and nothing excuses a failure when all workers are back', () => {
    expect(figures.signInMs(restart)).toEqual([300, 500])
    expect(figures.backAt(restart)).toBe(1_800)
    expect(figures.backAt({ ...restart, upAt: 2_500 })).toBe(2_500)
    expect(figures.backAt({ ...restart, workers: 3 })).toBe(Number.POSITIVE_INFINITY)
  })

  it('know what was in flight: what had no end when the hub was killed', () => {
    const cut = [call(900, 1_001), call(1_000, undefined), call(4_999, 9_000)]
    const others = [call(900, 1_000), call(1_001, 1_900), call(2_000, 2_100)]
    expect(figures.inFlight([...others, ...cut], [restart, next])).toEqual(cut)
  })

  it('know what was asked while there was no hub, and when the last of it ended as unknown', () => {
    const unknown = call(1_040, 1_050, { outcome: 'outcome_unknown' })
    const waited = [unknown, call(1_200, 1_900)]
    const calls = [call(999, 1_100), ...waited, call(1_700, 1_800)]
    expect(figures.askedInBetween(calls, [restart, next])).toEqual(waited)
    expect(figures.latestUnknownMs(waited, [restart, next])).toBe(40)
    expect(figures.latestUnknownMs([call(1_200, 1_900)], [restart])).toBe(0)
  })

  it('judge what was asked when all were back, but not what the next kill cut off', () => {
    const judged = [call(1_800, 1_900), call(4_900, 4_990), call(6_000, 6_050)]
    const others = [call(500, 600), call(1_750, 1_790), call(4_990, 5_010), call(5_800, 5_890)]
    expect(figures.askedAfterwards([...judged, ...others], [restart, next])).toEqual(judged)
    expect(figures.askedAfterwards(judged.slice(0, 1), [{ ...restart, workers: 3 }])).toEqual([])
  })

  it('tell when each agent had its first result of each hub, or that it never had', () => {
    const calls = [call(500, 600), call(1_500, 1_750), call(1_900, 1_950), call(5_800, 5_850, { agent: 'other' })]
    expect(figures.firstResultMs(calls, [restart, next], ['one'])).toEqual([50, Number.POSITIVE_INFINITY])
  })

  it('count failures by the way to the hub', () => {
    const failed = call(2_000, 2_001, { outcome: 'http_404', message: 'Session not found' })
    const checks = figures.failuresByWay([call(2_000, 2_001), failed], ['facade', 'http_legacy'])
    expect(checks.map(({ measured, isMet }) => [measured, isMet])).toEqual([
      ['1', false],
      ['0', true],
    ])
    expect(checks[0]?.examples).toEqual(['call-2000: http_404 Session not found'])
  })
})

describe('what a client throws', () => {
  it.each([
    [{ code: -32000, message: 'gone', data: { code: 'outcome_unknown' } }, 'outcome_unknown'],
    [{ code: 404, message: 'Session not found' }, 'http_404'],
    [{ code: 'CLIENT_HTTP_ERROR', data: { status: 503 }, message: '' }, 'http_503'],
    [{ code: -32001, message: 'Request timed out' }, 'no_answer'],
    [{ code: 'REQUEST_TIMEOUT', message: '' }, 'no_answer'],
    [new TypeError('fetch failed'), 'lost'],
    [{ code: -32000, message: 'Connection closed' }, 'lost'],
  ])('%o is %s', (thrown, code) => {
    expect(failureOf(thrown)).toMatchObject({ kind: 'failure', code })
  })
})
