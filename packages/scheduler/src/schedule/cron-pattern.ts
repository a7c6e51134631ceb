import { cronLengthMax } from '../limits.js'
import { LocalCron } from './local-cron.js'
import type { ScheduleProblem } from './schedule-problem.js'
import { problemOf, shown } from './schedule-problem.js'

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
}

const fields: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of week', min: 0, max: 7 },
]

const fieldsHint = 'The five fields are minute, hour, day of month, month and day of week, for example 0 9 * * 1-5.'

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** Five fields with one space between them, or what is wrong. Whether it ever fires is another question. */
export function parseCronPattern(value: string): { readonly pattern: string } | ScheduleProblem {
  const texts = value.trim().split(/[ \t]+/)
  const pattern = texts.join(' ')
  // What croner would take but means something else here comes first: its own errors speak of the rest.
  const problem =
    lengthProblem(value) ??
    nicknameProblem(pattern) ??
    dateProblem(pattern) ??
    countProblem(pattern) ??
    signProblem(texts)
  return problem ?? rangeProblem(texts) ?? cronerProblem(pattern, texts) ?? { pattern }
}

function lengthProblem(value: string): ScheduleProblem | undefined {
  if (value.length <= cronLengthMax) return undefined
  return problemOf(`A cron pattern has at most ${cronLengthMax} characters; this one has ${value.length}.`, fieldsHint)
}

function nicknameProblem(pattern: string): ScheduleProblem | undefined {
  if (!pattern.startsWith('@')) return undefined
  const meant = nicknames[pattern.toLowerCase()]
  const hint = meant === undefined ? fieldsHint : `Write ${meant} instead.`
  return problemOf(`${shown(pattern)} is a nickname; a cron pattern has exactly five fields.`, hint)
}

function dateProblem(pattern: string): ScheduleProblem | undefined {
  if (!/\d{4}-\d{1,2}-\d{1,2}/.test(pattern)) return undefined
  const hint = 'For one time use schedule_type once with a value like 2026-02-20T16:00:00.'
  return problemOf(`${shown(pattern)} has a date in it; a cron pattern has exactly five fields and no date.`, hint)
}

function countProblem(pattern: string): ScheduleProblem | undefined {
  const count = pattern === '' ? 0 : pattern.split(' ').length
  if (count === fields.length) return undefined
  const hint = count > fields.length ? `${fieldsHint} There is no field for seconds or years.` : fieldsHint
  return problemOf(`A cron pattern has exactly five fields; ${shown(pattern)} has ${count}.`, hint)
}

function signProblem(texts: readonly string[]): ScheduleProblem | undefined {
  for (const [index, text] of texts.entries()) {
    const sign = /[^0-9A-Za-z*,/#-]/.exec(text)?.[0]
    if (sign !== undefined) {
      const hint = sign === '?' ? 'Write * for any value.' : 'Allowed are numbers, names, and * , - / L W #.'
      return problemOf(`The field ${fields[index]!.name}, ${shown(text)}, has ${shown(sign)} in it.`, hint)
    }
  }
  return undefined
}

function rangeProblem(texts: readonly string[]): ScheduleProblem | undefined {
  for (const [index, text] of texts.entries()) {
    const { name, min, max } = fields[index]!
    // Neither steps nor the n of the nth weekday are values of the field.
    const values = text.replace(/[/#]\d+/g, '').match(/\d+/g) ?? []
    const outside = values.find((value) => value.length > 2 || Number(value) < min || Number(value) > max)
    if (outside !== undefined) {
      return problemOf(`${shown(outside)} is no ${name}: those are ${min} to ${max}.`, `The field was ${shown(text)}.`)
    }
  }
  return undefined
}

function cronerProblem(pattern: string, texts: readonly string[]): ScheduleProblem | undefined {
  try {
    new LocalCron(pattern)
    return undefined
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return problemOf(`${shown(pattern)} is no cron pattern: ${withoutJargon(text)}`, syntaxHint(texts) ?? fieldsHint)
  }
}

/** croner says which part of itself speaks, and counts fields from the seconds that are never written here. */
function withoutJargon(message: string): string {
  const sentence = message
    .replace(/^CronPattern: (Syntax error, )?/, '')
    .replace(/configuration entry (\d) /, (whole, index) => `${fields[Number(index) - 1]?.name ?? whole} `)
    .replace(/configuration entry /, '')
  return /[.!]$/.test(sentence) ? sentence : `${sentence}.`
}

function syntaxHint(texts: readonly string[]): string | undefined {
  for (const [index, text] of texts.entries()) {
    const { min, max } = fields[index]!
    const wrapped = [...text.matchAll(/(\d+)-(\d+)/g)].find(([, from, to]) => Number(from) > Number(to))
    if (wrapped !== undefined)
      return `Write a range that wraps as two: ${from(wrapped[1], max)},${to(min, wrapped[2])}.`
    const stepped = /(?:^|,)(\d+)(\/\d+)/.exec(text)
    if (stepped !== null) return `A step needs a range before it: ${stepped[1]}-${max}${stepped[2]}, or *${stepped[2]}.`
    if (/\/0+(?!\d)/.test(text)) return 'A step is at least 1, for example */5.'
  }
  return undefined
}

function from(start: string | undefined, max: number): string {
  return Number(start) === max ? `${max}` : `${start}-${max}`
}

function to(min: number, end: string | undefined): string {
  return Number(end) === min ? `${min}` : `${min}-${end}`
}
