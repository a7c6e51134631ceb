import { nameReportedLengthMax, namesReportedMax, resultBytesMax } from '../limits.js'
import { cutEnd, cutError } from './cut-text.js'
import type { CellEnd } from './runtime.js'

/**
 * What a harness tells of a cell, as it should be: code in the kernel can write such a message too, and what it says must
 * neither contradict itself nor fill a reply, a database or the worker.
 */
export function boundedEnd({
  outcome,
  result,
  error,
  resultOmitted,
  errorOmitted,
  durationS,
  names,
}: CellEnd): CellEnd {
  const shownResult = result === null ? undefined : cutEnd(result, resultBytesMax)
  const shownError = outcome === 'ok' ? undefined : cutError(error ?? '')
  return {
    outcome,
    result: shownResult?.text ?? null,
    error: shownError?.text ?? null,
    resultOmitted: Math.max(0, resultOmitted) + (shownResult?.omittedBytes ?? 0),
    errorOmitted: Math.max(0, errorOmitted) + (shownError?.omittedBytes ?? 0),
    durationS: Math.max(0, durationS),
    names: { added: bounded(names.added), changed: bounded(names.changed), deleted: bounded(names.deleted) },
  }
}

function bounded(names: readonly string[]): readonly string[] {
  return names.slice(0, namesReportedMax).map(shownName)
}

/** A long one is shown by its beginning. */
function shownName(name: string): string {
  const short = name.length > nameReportedLengthMax ? `${name.slice(0, nameReportedLengthMax)}…` : name
  // Lone surrogates are no UTF-8.
  return Buffer.from(short).toString('utf8')
}
