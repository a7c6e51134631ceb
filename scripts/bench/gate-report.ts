import { numberText } from './chart-document.js'
import type { Measured } from './gate-measures.js'
import { type GateMeasure, type Threshold, thresholds } from './gate-thresholds.js'

/** A table, and last the line that the gate of this repository counts. What was not measured is no pass. */
export function judged(measured: Measured): { readonly text: string; readonly failed: number } {
  const judgements = entries().map(([measure, threshold]) => {
    const value = measured[measure]
    return { threshold, value, isMet: value > 0 && value <= threshold.max }
  })
  const failed = judgements.filter(({ isMet }) => !isMet).length
  const lines = judgements.map(
    ({ threshold: { what, max, unit }, value, isMet }) =>
      `${what.padEnd(width)}  ${`${numberText(value)}${unit}`.padStart(10)}  ≤ ${`${max}${unit}`.padEnd(10)} ${isMet ? 'yes' : 'NO'}`,
  )
  return {
    text: [...lines, '', `bench:gate: ${judgements.length - failed} passed, ${failed} failed`].join('\n'),
    failed,
  }
}

/** What each threshold would be, with its margin. */
export function calibration(measured: Measured): string {
  const rows = entries().map(([measure, { max, margin }]) => {
    const proposed = numberText(measured[measure] * (1 + margin))
    return `${measure.padEnd(14)} measured ${numberText(measured[measure]).padStart(6)}   max: ${proposed.padStart(6)}   (now ${max}, margin ${margin * 100} %)`
  })
  return rows.join('\n')
}

const entries = () => Object.entries(thresholds) as [GateMeasure, Threshold][]
const width = Math.max(...entries().map(([, { what }]) => what.length))
