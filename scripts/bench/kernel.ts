// npm run bench:kernel: 50 agents with a Python each, through a hub process and a kernel worker process.
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { RawAgent } from '@callboard/testkit'
import { HubProcess } from '../hub-process.js'

const sessions = 50
const warmCalls = 1_000

await using hub = await HubProcess.start()
const worker = await hub.builtInWorker('kernel')
const agents = await Promise.all(Array.from({ length: sessions }, () => RawAgent.attach(hub.socket, { era: 'legacy' })))

const cold: number[] = []
for (const [index, agent] of agents.entries()) cold.push(await timed(() => evaluate(agent, `mine = ${index}`)))
const apart = await Promise.all(
  agents.map(async (agent, index) => (await evaluate(agent, 'mine')).result === `${index}`),
)
const warm: number[] = []
for (let index = 0; index < warmCalls / 5; index += 1) await evaluate(agents[0]!, '1 + 1')
for (let index = 0; index < warmCalls; index += 1) warm.push(await timed(() => evaluate(agents[0]!, '1 + 1')))
const all = await timed(() => Promise.all(agents.map((agent) => evaluate(agent, 'sum(range(1_000))'))))
await evaluate(agents[0]!, 'print("x" * 1_000_000)')
const before = residentMebibytes()
const printing = await timed(() => evaluate(agents[0]!, 'for _ in range(100): print("x" * 1_000_000)'))
const grown = residentMebibytes() - before

print(`machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, node ${process.version}`)
print(`cold start of a session with its first call   ${row(cold)}`)
print(`warm 1 + 1                                    ${row(warm)}`)
print(`${sessions} agents at once, one call each              ${all.toFixed(0)} ms in all`)
print(`names of ${sessions} sessions apart                     ${apart.every(Boolean) ? 'yes' : 'NO'}`)
print(
  `100 MB of printing                            ${printing.toFixed(0)} ms, the worker grew by ${grown.toFixed(1)} MiB`,
)
for (const agent of agents) agent.close()

async function evaluate(agent: RawAgent, code: string): Promise<{ readonly result: string | null }> {
  const { result } = await agent.ask('tools/call', { name: 'weave_eval', arguments: { code } })
  const { structuredContent } = result as { structuredContent: { success: boolean; result: string | null } }
  if (!structuredContent.success) throw new Error(JSON.stringify(structuredContent))
  return structuredContent
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function residentMebibytes(): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) / 1024
}

function row(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1)
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms (n = ${sorted.length})`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
