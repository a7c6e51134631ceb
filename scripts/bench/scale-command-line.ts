import { closeSync, mkdirSync, openSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { didYouMean } from '@callboard/protocol/nearest-name'
import type { Experiment } from './scale-experiment.js'

const options = {
  only: { type: 'string', multiple: true },
  quick: { type: 'boolean' },
  json: { type: 'string' },
  charts: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

export interface ScaleCommand {
  readonly experiments: readonly Experiment[]
  readonly isQuick: boolean
  readonly json: string | undefined
  readonly charts: string | undefined
}

/** What words ask for, or what is to be said and with which code the program ends. */
export type ReadScaleCommand =
  | { readonly kind: 'run'; readonly command: ScaleCommand }
  | { readonly kind: 'leave'; readonly code: 0 | 2; readonly text: string }

export function readScaleCommand(words: readonly string[], all: readonly Experiment[]): ReadScaleCommand {
  try {
    const { values } = parseArgs({ args: [...words], options })
    if (values.help) return { kind: 'leave', code: 0, text: helpText(all) }
    const experiments = chosen(values.only, all)
    // Before minutes of work are done for them.
    if (values.json !== undefined) closeSync(openSync(values.json, 'a'))
    if (values.charts !== undefined) mkdirSync(values.charts, { recursive: true })
    const { json, charts, quick = false } = values
    return { kind: 'run', command: { experiments, isQuick: quick, json, charts } }
  } catch (error) {
    return { kind: 'leave', code: 2, text: `${(error as Error).message}\n\n${helpText(all)}` }
  }
}

function chosen(only: readonly string[] | undefined, all: readonly Experiment[]): readonly Experiment[] {
  if (only === undefined) return all
  const names = all.map(({ name }) => name)
  return only
    .flatMap((words) => words.split(','))
    .map((name) => {
      const found = all.find((experiment) => experiment.name === name)
      if (found !== undefined) return found
      throw new Error(`--only: there is no ${name}${didYouMean(name, names)}. There are: ${names.join(', ')}.`)
    })
}

function helpText(all: readonly Experiment[]): string {
  const width = Math.max(...all.map(({ name }) => name.length))
  return [
    'Usage: npm run bench:scale -- [--only NAME[,NAME]] [--quick] [--json FILE] [--charts DIRECTORY]',
    '',
    'How what the hub spends on a call grows with what is beside it:',
    '',
    ...all.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '  --only NAME         of these only',
    '  --quick             few, small and short: whether it works, not what it costs',
    '  --json FILE         the figures as JSON',
    '  --charts DIRECTORY  pictures of them, scale-….svg',
    '',
    'Takes about five minutes; ends with 1 when a goal is missed. Examples:',
    '  npm run bench:scale',
    '  npm run bench:scale -- --only tools,workers --json scale.json',
    '  npm run bench:scale -- --charts docs/charts',
    '  npm run bench:scale -- --only large-results --quick',
  ].join('\n')
}
