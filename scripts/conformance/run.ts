import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { didYouMean } from '@callboard/protocol/nearest-name'
import { HubProcess } from '../hub-process.js'

/**
 * Runs the official conformance suite against a hub in a process of its own, over HTTP, with a worker in another: what an
 * agent would meet. Fails with the suite, its warnings included. `npm run conformance -- 2026-07-28 ping` runs one scenario
 * and shows each of its checks.
 */
const revisions = ['2026-07-28', '2025-11-25']

/** What the hub does not do and no revision requires. An entry that passes fails the run. */
const unsupported: ReadonlySet<string> = new Set([
  // Wants a tool that asks before it becomes a task, where `tasks-mrtr-input` wants one that asks as a task. Only the code of
  // a tool can tell the two apart: here, a call is a task from its start, and all that it asks, it asks as one.
  'tasks-mrtr-composition',
])

const home = fileURLToPath(new URL('../../conformance/', import.meta.url))
const fixture = fileURLToPath(new URL('fixture-worker.js', import.meta.url))
const suite = join(home, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')
/** The suite needs a newer Node than Callboard does. */
const suiteNode = join(home, 'node_modules', '.bin', 'node')
const expectedFailures = join(home, 'expected-failures.yaml')
/** Far more than it takes: nothing of this may hang a build. */
const suiteTimeoutMs = 300_000

const children: ChildProcess[] = []
try {
  process.exitCode = await Promise.race([run(process.argv.slice(2)), interrupted()])
} finally {
  for (const child of children.reverse()) await end(child)
}
// An interrupted run would go on with what is left to do.
process.exit()

async function interrupted(): Promise<number> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  return 130
}

async function run([revision, scenario]: readonly string[]): Promise<number> {
  if (!existsSync(suite) || !existsSync(suiteNode)) await install()
  const problem = await unknown(revision, scenario)
  if (problem !== undefined) {
    process.stderr.write(`conformance: ${problem}\n`)
    return 2
  }
  await using hub = await HubProcess.start()
  await hub.worker(fixture)
  const server = [suite, 'server', '--url', hub.url]
  if (revision !== undefined) {
    const one =
      scenario === undefined ? ['--requirements', revision] : ['--spec-version', revision, '--scenario', scenario]
    return show(await collect(spawnIn(home, suiteNode, [...server, ...one])))
  }
  const tally = { passed: 0, failed: 0 }
  let code = 0
  for (const each of revisions) {
    process.stdout.write(`\nMCP ${each}\n`)
    const judged = ['--requirements', each, '--expected-failures', expectedFailures]
    const ended = await collect(spawnIn(home, suiteNode, [...server, ...judged]))
    code ||= show(ended)
    count(ended.output, tally)
  }
  process.stdout.write(`conformance: ${tally.passed} scenarios passed, ${tally.failed} failed\n`)
  return tally.passed === 0 || tally.failed > 0 ? 1 : code
}

/** The suite's own answer is the list of all its scenarios. */
async function unknown(revision?: string, scenario?: string): Promise<string | undefined> {
  if (revision === undefined) return undefined
  if (!revisions.includes(revision)) return `there is no revision ${revision}: it is one of ${revisions.join(', ')}`
  if (scenario === undefined) return undefined
  const { output } = await collect(spawnIn(home, suiteNode, [suite, 'list', '--server', '--spec-version', revision]))
  const names = [...output.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!)
  if (names.length === 0 || names.includes(scenario)) return undefined
  return `${revision} has no scenario ${scenario}${didYouMean(scenario, names)}`
}

function show({ code, output }: Ended): number {
  process.stdout.write(output)
  return code ?? 1
}

/** The suite fails only for what the revision requires; this holds us to the rest of what it runs as well. */
function count(output: string, tally: { passed: number; failed: number }): void {
  for (const [, mark, name = '', checks] of output.matchAll(/^([✓✗]) (\S+): (\d+) passed/gm)) {
    // Skipped: nothing was found out.
    if (mark === '✓' && checks === '0') continue
    const isExpected = (mark === '✓') !== unsupported.has(name)
    if (!isExpected) process.stdout.write(`${name}: ${mark === '✓' ? 'passes, and is not unsupported' : 'failed'}\n`)
    if (!isExpected) tally.failed++
    else if (mark === '✓') tally.passed++
  }
}

async function install(): Promise<void> {
  const { code, output } = await collect(spawnIn(home, 'npm', ['ci', '--no-fund', '--no-audit']))
  if (code !== 0) throw new Error(`npm ci in scripts/conformance failed:\n${output}`)
}

function spawnIn(cwd: string, command: string, parameters: readonly string[]): ChildProcess {
  const child = spawn(command, parameters, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: suiteTimeoutMs })
  children.push(child)
  return child
}

interface Ended {
  readonly code: number | null
  readonly output: string
}

async function collect(child: ChildProcess): Promise<Ended> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
