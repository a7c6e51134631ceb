import { cutToFit } from '../../text/cut-to-fit.js'
import type { LengthRule } from '../../text/length-rule.js'
import { measure } from '../../text/measure.js'
import { fill, type Slots } from './slots.js'

export interface Filled {
  readonly text: string
  /** A slot or the end had to be cut. */
  readonly isShortened: boolean
}

/** Graphemes of a slot, tried in this order: half a sentence about a topic is better than a sentence cut in half. */
const slotLengths = [120, 80, 60, 40, 24] as const

/** The template, behind its prefix, within the network's length; undefined when nothing of it fits. */
export function fillToFit(template: string, slots: Slots, rule: LengthRule, prefix = ''): Filled | undefined {
  const whole = `${prefix}${fill(template, slots)}`
  if (measure(whole, rule).fits) return { text: whole, isShortened: false }
  for (const length of slotLengths) {
    const text = `${prefix}${fill(template, shortened(slots, length))}`
    if (measure(text, rule).fits) return { text, isShortened: true }
  }
  const text = cutToFit(`${prefix}${fill(template, shortened(slots, slotLengths.at(-1)!))}`, rule)
  return text === undefined ? undefined : { text, isShortened: true }
}

function shortened(slots: Slots, length: number): Slots {
  return Object.fromEntries(Object.entries(slots).map(([name, text]) => [name, text && shortenedText(text, length)]))
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Between words where there is a place for it. */
function shortenedText(text: string, length: number): string {
  const graphemes = [...segmenter.segment(text)].map(({ segment }) => segment)
  if (graphemes.length <= length) return text
  const start = graphemes.slice(0, length - 1).join('')
  const blank = start.lastIndexOf(' ')
  const kept = blank > start.length / 2 ? start.slice(0, blank) : start
  return `${kept.trimEnd()}…${text.startsWith('“') ? '”' : ''}`
}
