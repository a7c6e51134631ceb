import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { command } from '../hub-process.js'

/**
 * How long an MCP client waits for its first answer from `callboard stdio`: with no hub, which is then started with all its
 * workers, and with a hub that runs. Beside them the start of an empty Node, which no program undercuts.
 *
 * `npm run bench:first-answer -- 9`: so many rounds; ms, the median and the range.
 */
const rounds = Number(process.argv[2] ?? 9)
if (!Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write('bench:first-answer: say how many rounds, like npm run bench:first-answer -- 9\n')
  process.exit(2)
}
const warmStartsPerRound = 3
/** For the workers' own starts, which would be in the way of what is measured next. */
const settleMs = 5_000

const initialize = `${JSON.stringify({
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  jsonrpc: '2.0',
  id: 0,
})}\n`

const figures = { 'empty Node': [] as number[], 'no hub': [] as number[], 'running hub': [] as number[] }
for (let round = 0; round < rounds; round++) await measure()

process.stdout.write(`First answer to initialize, ms (${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)})\n`)
for (const [name, values] of Object.entries(figures)) process.stdout.write(`${name.padEnd(12)} ${described(values)}\n`)

async function measure(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'callboard-'))
  const environment = {
    PATH: process.env['PATH'],
    HOME: directory,
    CALLBOARD_RUNTIME: join(directory, 'run'),
    CALLBOARD_DATA: join(directory, 'data'),
    CALLBOARD_HTTP: '127.0.0.1:0',
  }
  try {
    figures['empty Node'].push(await firstBytes(['-e', 'process.stdout.write("x")'], environment))
    figures['no hub'].push(await firstBytes([command, 'stdio'], environment))
    await delay(settleMs)
    for (let start = 0; start < warmStartsPerRound; start++) {
      figures['running hub'].push(await firstBytes([command, 'stdio'], environment))
    }
  } finally {
    await once(spawn(process.execPath, [command, 'down'], { env: environment, stdio: 'ignore' }), 'exit')
    rmSync(directory, { recursive: true, force: true })
  }
}

/** From the start of the process to what it says first; then it is let go. */
async function firstBytes(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, words, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  child.stdin.on('error', () => {})
  child.stdin.write(initialize)
  await Promise.race([once(child.stdout, 'data'), ended])
  const tookMs = performance.now() - startedAt
  child.stdin.end()
  await ended
  return tookMs
}

function described(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other)
  const [median, least, most] = [sorted[sorted.length >> 1], sorted[0], sorted.at(-1)]
  return `${median!.toFixed(0).padStart(5)}  (${least!.toFixed(0)} to ${most!.toFixed(0)}, ${values.length} starts)`
}
