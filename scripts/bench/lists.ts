// npm run bench:lists: how fast a catalogue of 1,000 tools is listed while one of its 20 workers hangs, and how soon agents
// hear that it has changed.
import { once } from 'node:events'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { RawAgent } from '@callboard/testkit'
import { HubProcess, now } from '../hub-process.js'
import { LineExchange } from './line-exchange.js'
import { Watchers } from './watchers.js'

const workers = 20
const toolsPerWorker = 50
const lists = 500
const changes = 20

await using hub = await HubProcess.start()
const started = await Promise.all(
  Array.from({ length: workers }, (_, index) => toolsWorker(`bench-${index}`, '1.0.0', toolsPerWorker)),
)
// What a worker does makes no difference to lists, not even that it does nothing at all.
started[0]!.child.kill('SIGSTOP')

// What the machine adds by itself.
const latencies: Row[] = [await overSocket('legacy', 'ping')]
for (const era of ['legacy', 'modern'] as const) latencies.push(await overSocket(era))
latencies.push(await overHttp())
const told = [await signIns(), await departures()]
const strays = await strangers()

const machine = { cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`, node: process.version }
report(`Lists of ${workers * toolsPerWorker} tools, ms until the last byte`, latencies)
report('list_changed, ms after what changed the list', told)
print(`list_changed of a tool for operators: the operator heard ${strays.operator}, the others ${strays.others}`)
print(JSON.stringify({ machine, latencies, told, strays }))
for (const { child } of started) child.kill('SIGKILL')

/** Resolves when the hub has welcomed it. */
async function toolsWorker(service: string, version: string, tools: number, role = 'all') {
  const file = fileURLToPath(new URL('./tools-worker.js', import.meta.url))
  const { child, told } = await hub.worker(file, [service, version, `${tools}`, role])
  return { child, welcomedAt: told as number }
}

interface Row {
  readonly what: string
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** The longest of the best fifty in a row: what is left when the machine does nothing else. */
  readonly quiet?: number
  /** Of the hub's process, per question, in ms. */
  readonly cpu?: number
  readonly bytes?: number
}

async function overSocket(era: 'legacy' | 'modern', method = 'tools/list'): Promise<Row> {
  const agent = await LineExchange.attach(hub.socket, era)
  let bytes = 0
  let cpu = 0
  const work = async () => {
    bytes = await agent.ask(method)
  }
  const times = await timesOf(lists, work, (used) => {
    cpu = used / lists
  })
  agent.close()
  return { ...row(`${method}, mcp.sock, ${era}`, times, bytes), quiet: quietOf(times), cpu: Number(cpu.toFixed(2)) }
}

async function overHttp(): Promise<Row> {
  let bytes = 0
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const times = await timesOf(lists / 5, async () => {
    const response = await fetch(hub.url, { method: 'POST', headers, body })
    bytes = (await response.arrayBuffer()).byteLength
  })
  return row('tools/list, HTTP, without a session', times, bytes)
}

/** How long after its WELCOME agents of both eras have heard of a new worker. */
async function signIns(): Promise<Row> {
  await using watchers = await Watchers.attach(hub.socket)
  const times: number[] = []
  for (let index = 0; index < changes; index += 1) {
    const heard = watchers.next()
    const { child, welcomedAt } = await toolsWorker(`late-${index}`, '1.0.0', 1)
    times.push(Math.max(0, (await heard) - welcomedAt))
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return row('a worker signs in (after its WELCOME)', times)
}

/** The last worker of the definitions in force is asked to leave: those of the one beside it come into force. */
async function departures(): Promise<Row> {
  await using watchers = await Watchers.attach(hub.socket)
  const first = watchers.next()
  let { child } = await toolsWorker('pair', '1.0.0', 1)
  await first
  const times: number[] = []
  for (let index = 0; index < changes; index += 1) {
    const successor = await toolsWorker('pair', `1.0.${index + 1}`, 1 + ((index + 1) % 2))
    const heard = watchers.next()
    const askedAt = now()
    child.kill('SIGTERM')
    times.push((await heard) - askedAt)
    child = successor.child
  }
  return row('a worker leaves (after SIGTERM)', times)
}

/** Who hears of a tool that is for operators only. */
async function strangers() {
  await using watchers = await Watchers.attach(hub.socket)
  let operator = 0
  const agent = await RawAgent.attach(hub.socket, {
    era: 'legacy',
    attach: { as: 'operator', token: hub.operatorSecret },
    onMessage: () => {
      operator += 1
    },
  })
  await toolsWorker('secret', '1.0.0', 1, 'operator')
  const heard = watchers.next()
  await toolsWorker('public', '1.0.0', 1)
  await heard
  await agent.ask('ping')
  agent.close()
  // All of them hear of the other worker.
  return { operator: operator - 1, others: watchers.heard - 1 }
}

async function timesOf(count: number, work: () => Promise<void>, used = (_cpuMs: number) => {}): Promise<number[]> {
  for (let index = 0; index < count / 5; index += 1) await work()
  const times: number[] = []
  const cpuMs = hub.cpuMs
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  used(hub.cpuMs - cpuMs)
  return times
}

function quietOf(times: readonly number[]): number {
  const rounds = Array.from({ length: times.length / 50 }, (_, index) => times.slice(index * 50, index * 50 + 50))
  return Number(Math.min(...rounds.map((round) => Math.max(...round))).toFixed(2))
}

function row(what: string, times: readonly number[], bytes?: number): Row {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) =>
    Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(2))
  return { what, count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1), ...(bytes !== undefined && { bytes }) }
}

function report(title: string, rows: readonly Row[]): void {
  print(`\n${title}`)
  print(`${''.padEnd(40)}${['p50', 'p99', 'max', 'quiet', 'cpu', 'n', 'KiB'].map((head) => head.padStart(8)).join('')}`)
  for (const { what, p50, p99, max, quiet = '', cpu = '', count, bytes } of rows) {
    const cells = [p50, p99, max, quiet, cpu, count, bytes === undefined ? '' : Math.round(bytes / 1024)]
    print(`${what.padEnd(40)}${cells.map((cell) => `${cell}`.padStart(8)).join('')}`)
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
