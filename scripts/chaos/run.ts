// npm run chaos -- SCENARIO: a hub and its workers under real faults, and what became of every call.
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { didYouMean } from '@callboard/protocol/nearest-name'
import { isMissed, jsonOf, tableOf } from './report.js'
import type { Scenario, Settings } from './scenario.js'
import { scenarios } from './scenarios.js'

const options = {
  seconds: { type: 'string' },
  rate: { type: 'string' },
  json: { type: 'string' },
  'lenient-times': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

// Our children end with us, and our files go, when this process exits.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
const { values, positionals } = readCommandLine()
if (values.help) leave(0, help())
const scenario = findScenario(positionals)
const settings: Settings = {
  seconds: readNumber('seconds', values.seconds) ?? scenario.seconds,
  rate: readNumber('rate', values.rate) ?? scenario.rate,
  say: (line) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${line}`),
}
if (values.json !== undefined) requireWritable(values.json)
const judging = { lenientTimes: values['lenient-times'] === true }
const play = await scenario.play(settings)
settings.say('')
const json = jsonOf(scenario, settings, play, judging)
print(`${scenario.name}: ${scenario.summary}; ${settings.rate} calls/s for ${settings.seconds} s\n`)
print(tableOf(play, judging))
print(json)
if (values.json !== undefined) writeFileSync(values.json, `${json}\n`)
process.exit(play.checks.some((check) => isMissed(check, judging)) ? 1 : 0)

function readCommandLine() {
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    return leave(2, `${(error as Error).message}\n\n${help()}`)
  }
}

function findScenario(words: readonly string[]): Scenario {
  const [name, ...more] = words
  if (name === undefined) return leave(2, `Which scenario?\n\n${help()}`)
  if (more.length > 0) return leave(2, `One scenario at a time, not also ${more.join(' ')}.`)
  const names = scenarios.map((each) => each.name)
  const found = scenarios.find((each) => each.name === name)
  return found ?? leave(2, `There is no scenario ${name}${didYouMean(name, names)}. There are: ${names.join(', ')}.`)
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  return Number.isFinite(number) && number > 0 ? number : leave(2, `--${name} must be a number above 0, not ${text}.`)
}

/** Before a minute's work is done for it. */
function requireWritable(file: string): void {
  try {
    closeSync(openSync(file, 'a'))
  } catch (error) {
    leave(2, `--json: ${(error as Error).message}`)
  }
}

function help(): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  return [
    'Usage: npm run chaos -- SCENARIO [--seconds N] [--rate N] [--json FILE] [--lenient-times]',
    '',
    ...scenarios.map(
      (each) => `  ${each.name.padEnd(width)}  ${each.summary} (${each.rate} calls/s, ${each.seconds} s)`,
    ),
    '',
    '  --seconds N      of load',
    '  --rate N         calls per second',
    '  --json FILE      the result as one line of JSON, as it is printed too',
    '  --lenient-times  goals in time are shown and not judged: for machines that do other work',
    '',
    'Ends with 1 when a goal is missed. Examples:',
    '  npm run chaos -- failover',
    '  npm run chaos -- failover --seconds 5 --rate 200 --lenient-times',
    '  npm run chaos -- failover --json failover.json',
  ].join('\n')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Bad words are the caller's fault: 2. */
function leave(code: 0 | 2, text: string): never {
  const stream = code === 0 ? process.stdout : process.stderr
  stream.write(`${text}\n`)
  process.exit(code)
}
