// A crowd of agents in a process of its own: `node crowd-program.js SOCKET FILE OPTIONS`. Tells its parent when all are
// connected and begin; at the word `stop` they ask no more, and what became of each call is in the file when it tells so.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { ClosedLoop } from './closed-loop.js'
import type { CrowdOptions, CrowdReport } from './crowd.js'
import { usualLoad } from './load-options.js'
import { OpenLoop } from './open-loop.js'
import { RefusalCaller } from './refusal-caller.js'
import { spreadOf } from './spread.js'
import { TokenCaller } from './token-caller.js'

const settlePollMs = 10

const [socket = '', file = '', text = '{}'] = process.argv.slice(2)
const options = JSON.parse(text) as CrowdOptions
process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit())

const retries = new Map<string, number>()
const agents: RefusalCaller[] = []
for (const [index, token] of options.tokens.entries()) {
  const agent = await TokenCaller.open(socket, index % 2 === 0 ? 'legacy' : 'modern', token)
  agents.push(new RefusalCaller(agent, retries))
}
const loop = begin()
process.send?.('begun')
await once(process, 'message')
loop.stop()
const settledBy = performance.now() + options.settleMs
while (loop.open > 0 && performance.now() < settledBy) await delay(settlePollMs)
const lines = loop.calls.map((call) => JSON.stringify({ ...call, retryAfterMs: retries.get(call.canary) }))
writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
const { user, system } = process.cpuUsage()
const report: CrowdReport = {
  lagMs: spreadOf(loop instanceof OpenLoop ? loop.lags : []),
  cpuMs: (user + system) / 1000,
}
for (const agent of agents) agent.close()
process.send?.(report, () => process.exit())

function begin(): OpenLoop | ClosedLoop {
  const { name, workMs, pace, settleMs } = options
  if (pace.kind === 'in_flight') return new ClosedLoop({ name, workMs, inFlight: pace.inFlight }, agents)
  const load = { ...usualLoad, name, rate: pace.rate, kinds: ['record'] as const, httpEvery: 0, settleMs }
  return new OpenLoop({ ...load, workMs: [workMs, workMs] }, agents, agents[0]!)
}
