import { parseArgs } from 'node:util'
import { roundsQuick, roundsUsual } from './limits.js'

export interface BenchOptions {
  /** Scenarios, subjects or parts; empty: everything. */
  readonly only: readonly string[]
  readonly rounds: number
  readonly quick: boolean
  readonly pin: boolean
  readonly lenient: boolean
  readonly json?: string
  readonly charts?: string
}

const roundsMax = 1_000

export const help = `npm run bench -- [options]

Measures Callboard beside a direct server, a naive proxy, what else npm has, and the floor, all with the same echo tool, in
short windows in alternating order. Ratios are medians of the rounds, with quartiles. Exit code 1: a goal was missed, or something could
not be measured.

  --only NAMES     parts of the run, with commas: scenarios (latency, throughput-1, -16, -128, http-1, http-32,
                   payload-100b, -10kb, -1mb), "start", "idle", and subjects (direct, proxy, proxy2, raw, node-http, mcp-hub,
                   mcp-proxy, supergateway, hub, shim, socket, http; with -checked or, but for hub, -modern; and what
                   guards a hub: socket-keys-policy, socket-keys, socket-policy, socket-audit)
  --rounds N       windows of each subject in a scenario; ${roundsUsual} by default
  --quick          few and short windows: shows that all runs; goals are not judged
  --no-pin         latency, too, on all CPUs
  --lenient        exit code 0 whatever comes
  --json FILE      all figures, as JSON
  --charts DIR     charts, as SVG
  --help           this

  npm run bench -- --only latency
  npm run bench -- --only throughput-128,direct,proxy,hub,hub-checked --rounds 30
  npm run bench -- --only throughput-128,throughput-16,socket,socket-keys,socket-policy,socket-keys-policy
  npm run bench -- --json figures.json --charts docs/charts
  npm run bench -- --quick
`

/** Undefined: only help was asked for. @throws with what is wrong */
export function parseOptions(words: readonly string[], names: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      'no-pin': { type: 'boolean', default: false },
      lenient: { type: 'boolean', default: false },
      json: { type: 'string' },
      charts: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const only = values.only.flatMap((list) => list.split(',')).filter((name) => name !== '')
  const unknown = only.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`--only: there is no ${unknown.join(', ')}; there are ${names.join(', ')}`)
  const rounds = values.rounds === undefined ? (values.quick ? roundsQuick : roundsUsual) : Number(values.rounds)
  if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= roundsMax))
    throw new Error(`--rounds: must be a whole number from 1 to ${roundsMax}`)
  return {
    only,
    rounds,
    quick: values.quick,
    pin: !values['no-pin'],
    lenient: values.lenient,
    ...(values.json !== undefined && { json: values.json }),
    ...(values.charts !== undefined && { charts: values.charts }),
  }
}
