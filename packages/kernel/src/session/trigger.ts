import { didYouMean } from '@callboard/worker'
import { beatMax, divisorBeatsMin, eventNameLengthMax, everySMin, nameLengthMax, triggerSMax } from '../limits.js'
import { ModuleError } from './module-api.js'

/** When a rule fires. Beats are quarter notes. */
export type Trigger =
  /** At `offset + n × divisor`. */
  | { readonly kind: 'beat'; readonly divisor: number; readonly offset: number }
  | { readonly kind: 'at'; readonly beat: number }
  | { readonly kind: 'marker'; readonly name: string }
  /** Time, not beats: from the registration on, whether the transport plays or not. */
  | { readonly kind: 'every'; readonly seconds: number }
  | { readonly kind: 'after'; readonly seconds: number }
  /** `*` stands for any characters. */
  | { readonly kind: 'event'; readonly pattern: string }

const forms: { readonly [kind in Trigger['kind']]: string } = {
  beat: 'beat:4 or beat:4+1',
  at: 'at:32',
  marker: 'marker:drop',
  every: 'every:2.5s',
  after: 'after:10s',
  event: 'event:job.*',
}

/** Throws a ModuleError (ValueError) that names what there is. */
export function parseTrigger(text: string): Trigger {
  const { kind, rest } = splitKind(text, 'trigger', forms)
  switch (kind) {
    case 'beat':
      return parseBeat(text, rest)
    case 'at':
      return { kind, beat: numberIn(rest, `The beat of ${text}`, 0, beatMax) }
    case 'marker':
      return { kind, name: markerName(rest) }
    case 'every':
      return { kind, seconds: secondsIn(text, rest, everySMin) }
    case 'after':
      return { kind, seconds: secondsIn(text, rest, 0) }
    case 'event':
      return { kind, pattern: eventPattern(rest) }
    default:
      return kind satisfies never
  }
}

/** The canonical text: parsing it gives the trigger again. */
export function formatTrigger(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'beat':
      return `beat:${trigger.divisor}${trigger.offset === 0 ? '' : `+${trigger.offset}`}`
    case 'at':
      return `at:${trigger.beat}`
    case 'marker':
      return `marker:${trigger.name}`
    case 'every':
    case 'after':
      return `${trigger.kind}:${trigger.seconds}s`
    case 'event':
      return `event:${trigger.pattern}`
    default:
      return trigger satisfies never
  }
}

function markerName(text: string): string {
  if (/\p{Cc}|\p{Cs}/u.test(text)) {
    throw new ModuleError(
      'ValueError',
      `The name of a marker must not contain control characters; got ${quoted(text)}.`,
    )
  }
  return textIn(text, 'The name of a marker', nameLengthMax)
}

/** `event:…` and lists of types: letters, digits and `_ . : -`, with `*` for any characters. */
export function eventPattern(text: string): string {
  if (text.length > eventNameLengthMax || !/^[\w.:*-]+$/.test(text)) {
    throw new ModuleError(
      'ValueError',
      `An event pattern has 1 to ${eventNameLengthMax} letters, digits and _ . : -, with * for any characters, like job.*; got ${quoted(text)}.`,
    )
  }
  return text
}

export function eventName(text: string): string {
  if (text.length > eventNameLengthMax || !/^[\w.:-]+$/.test(text)) {
    throw new ModuleError(
      'ValueError',
      `An event name has 1 to ${eventNameLengthMax} letters, digits and _ . : -; got ${quoted(text)}.`,
    )
  }
  return text
}

/** `kind:rest`, of the kinds that there are; a kind alone has an empty rest. */
export function splitKind<Kind extends string>(
  text: string,
  what: 'trigger' | 'action',
  known: { readonly [kind in Kind]: string },
): { readonly kind: Kind; readonly rest: string } {
  const colon = text.indexOf(':')
  const kind = colon < 0 ? text : text.slice(0, colon)
  if (!Object.hasOwn(known, kind)) {
    const hint = didYouMean(kind, Object.keys(known))
    const article = what === 'action' ? 'an' : 'a'
    throw new ModuleError(
      'ValueError',
      `${quoted(text)} is not ${article} ${what}${hint}. There are ${Object.values(known).join(', ')}.`,
    )
  }
  return { kind: kind as Kind, rest: colon < 0 ? '' : text.slice(colon + 1) }
}

export function numberIn(text: string, what: string, least: number, most: number): number {
  // Number() takes '', ' 4', '0x10' and '1_0' differently from what people mean.
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most)) {
    throw new ModuleError('ValueError', `${what} must be a number from ${least} to ${most}, not ${quoted(text)}.`)
  }
  return value
}

export function textIn(text: string, what: string, lengthMax: number): string {
  if (text.trim() === '' || text.length > lengthMax) {
    throw new ModuleError('ValueError', `${what} must have 1 to ${lengthMax} characters, not ${text.length}.`)
  }
  return text
}

/** As it is shown in an error: a mistake may be long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}

function parseBeat(text: string, rest: string): Trigger {
  const plus = rest.indexOf('+', 1)
  const divisor = plus < 0 ? rest : rest.slice(0, plus)
  const offset = plus < 0 ? '0' : rest.slice(plus + 1)
  return {
    kind: 'beat',
    divisor: numberIn(divisor, `The divisor of ${text}`, divisorBeatsMin, beatMax),
    offset: numberIn(offset, `The offset of ${text}`, 0, beatMax),
  }
}

function secondsIn(text: string, rest: string, least: number): number {
  if (!rest.endsWith('s')) {
    throw new ModuleError('ValueError', `${quoted(text)} needs its unit: seconds, as in ${text.split(':')[0]}:2.5s.`)
  }
  return numberIn(rest.slice(0, -1), `The seconds of ${text}`, least, triggerSMax)
}
