import { cutToFit } from '../../text/cut-to-fit.js'
import { finishedSentences } from '../../text/sentences.js'
import type { Demand, Examined, Fault } from './examine.js'

export function isMendable(faults: readonly Fault[]): boolean {
  return faults.every((fault) => fault === 'too_long' || fault === 'unfinished')
}

/** Whole sentences of it that fit; undefined when there are none. */
export function mended({ text, faults }: Examined, { network, prefix }: Demand): string | undefined {
  const whole = faults.includes('unfinished') ? finishedSentences(text) : text
  const cut = whole !== undefined && faults.includes('too_long') ? cutToFit(whole, network.lengthRule) : whole
  return cut === undefined || cut.trim() === prefix.trim() ? undefined : cut
}
