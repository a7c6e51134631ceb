import { describe, expect, it } from 'vitest'
import { isMissed, jsonOf, tableOf } from '../report.js'
import { none, type Scenario, within } from '../scenario.js'

const strict = { lenientTimes: false }
const lenient = { lenientTimes: true }
const play = {
  checks: [none('failed calls', 2, ['call-1: unavailable']), within('the slowest failure', 120, 100)],
  figures: { calls: 5 },
}

describe('isMissed', () => {
  it('judges correctness always, and times unless they are not to be judged', () => {
    expect(play.checks.map((check) => isMissed(check, strict))).toEqual([true, true])
    expect(play.checks.map((check) => isMissed(check, lenient))).toEqual([true, false])
    expect(isMissed(none('failed calls', 0), strict)).toBe(false)
    expect(isMissed(within('the slowest failure', 100, 100), strict)).toBe(false)
  })
})

describe('tableOf', () => {
  it('shows every goal, and what went wrong', () => {
    expect(tableOf(play, lenient).split('\n')).toEqual([
      'what                 goal      measured  ok',
      'failed calls         0         2         NO',
      'the slowest failure  ≤ 100 ms  120.0 ms  not judged',
      'failed calls: call-1: unavailable',
    ])
  })
})

describe('jsonOf', () => {
  it('is one line that says whether all goals were met', () => {
    const settings = { seconds: 1, rate: 5, say: () => undefined }
    const scenario: Scenario = { name: 'none', summary: '', seconds: 1, rate: 5, play: async () => play }
    const text = jsonOf(scenario, settings, play, strict)
    expect(text).not.toContain('\n')
    expect(JSON.parse(text)).toMatchObject({ scenario: 'none', isMet: false, figures: { calls: 5 } })
    const met = { checks: play.checks.slice(1), figures: {} }
    expect(JSON.parse(jsonOf(scenario, settings, met, lenient))).toMatchObject({ isMet: true })
  })
})
