import { describe, expect, it } from 'vitest'
import type { Measured } from '../gate-measures.js'
import { calibration, judged } from '../gate-report.js'
import { type GateMeasure, thresholds } from '../gate-thresholds.js'

const measures = Object.keys(thresholds) as GateMeasure[]
const atThreshold = Object.fromEntries(measures.map((measure) => [measure, thresholds[measure].max])) as Measured

describe('the gate', () => {
  it('passes what is not above its threshold', () => {
    const { text, failed } = judged(atThreshold)
    expect(failed).toBe(0)
    expect(text).toMatch(new RegExp(`\\nbench:gate: ${measures.length} passed, 0 failed$`))
    expect(text).not.toContain('NO')
  })

  it.each(measures)('fails when %s is above it', (measure) => {
    const { text, failed } = judged({ ...atThreshold, [measure]: thresholds[measure].max * 1.01 })
    expect(failed).toBe(1)
    expect(text.split('\n').filter((line) => line.endsWith(' NO'))).toEqual([
      expect.stringContaining(thresholds[measure].what),
    ])
    expect(text).toMatch(new RegExp(`\\nbench:gate: ${measures.length - 1} passed, 1 failed$`))
  })

  it.each([0, Number.NaN])('takes nothing measured (%d) for no pass', (value) => {
    expect(judged({ ...atThreshold, writes: value }).failed).toBe(1)
  })

  it('says what its thresholds would be, margins included', () => {
    const text = calibration({ ...atThreshold, batchesOut: 2 })
    expect(text.split('\n')).toHaveLength(measures.length)
    expect(text).toMatch(new RegExp(`^batchesOut +measured +2 +max: +${2 * (1 + thresholds.batchesOut.margin)} `, 'm'))
  })
})
