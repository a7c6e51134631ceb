import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Guardian } from '../../src/up/guardian.js'
import { guardianScript } from '../../src/up/guardian-script.js'
import { Installation, untilSaid } from '../support/installation.js'

const parentFile = fileURLToPath(new URL('support/parent.mjs', import.meta.url))

/** Never reads its stdin again. */
const busy = `console.log('is up'); setTimeout(() => { for (;;); }, 10)`
const idle = `console.log('is up'); setInterval(() => {}, 1e6)`
/** As the programs of the scheduler are: in a session of their own, without a pipe to anybody. */
const withProgram = `const { pid } = require('node:child_process')
  .spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { detached: true, stdio: 'ignore' })
console.log('has program ' + pid)
${busy}`

async function parentOf(
  installation: Installation,
  programs: Readonly<Record<string, string>>,
): Promise<{ readonly parent: ChildProcessWithoutNullStreams; readonly said: string }> {
  const parent = spawn(process.execPath, [parentFile, JSON.stringify(programs)], {
    env: installation.environment,
    cwd: installation.directory,
  })
  const all = Object.keys(programs).map((name) => `(?=[^]*\\[${name}\\] is up)`)
  return { parent, said: await untilSaid(parent, parent.stdout, new RegExp(`^${all.join('')}`)) }
}

const nothingIsLeft = (installation: Installation) =>
  vi.waitFor(() => expect(installation.processes()).toEqual([]), { timeout: 8_000 })

it.each(['SIGKILL', 'SIGABRT', 'SIGQUIT', 'SIGSEGV', 'throw', 'exit'] as const)(
  'ends workers that read no end of anything when their parent has ended by %s, and their programs',
  async (way) => {
    const installation = new Installation()
    const { parent, said } = await parentOf(installation, { busy, withProgram, stopped: idle })
    const program = Number(/has program (\d+)/.exec(said)![1])
    process.kill(workerPids(installation, parent).find((pid) => textOf(pid).includes(idle))!, 'SIGSTOP')
    if (way === 'throw' || way === 'exit') parent.stdin.write(way)
    else parent.kill(way)
    await once(parent, 'exit')
    expect(installation.processes()).toContain(program)
    await nothingIsLeft(installation)
  },
  20_000,
)

it('gives a worker the time to end by itself', async () => {
  const installation = new Installation()
  const slow = `process.stdin.resume().on('end', () => setTimeout(() => {
    require('node:fs').writeFileSync('finished', ''); process.exit(0) }, 1_000))
    console.log('is up')`
  const { parent } = await parentOf(installation, { slow })
  parent.kill('SIGKILL')
  await nothingIsLeft(installation)
  expect(existsSync(join(installation.directory, 'finished'))).toBe(true)
}, 20_000)

it('is started again when it is killed, and knows the workers then', async () => {
  const installation = new Installation()
  const { parent } = await parentOf(installation, { busy })
  const first = installation.find('callboard-guardian')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.kill(first, signal)
  process.kill(first, 'SIGKILL')
  await vi.waitFor(() => expect(installation.find('callboard-guardian')).not.toBe(first), { timeout: 5_000 })
  parent.kill('SIGKILL')
  await nothingIsLeft(installation)
}, 20_000)

it('outlives what a terminal sends', async () => {
  const guardian = guardianOf('')
  await vi.waitFor(() => expect(ignoredBy(guardian)).toEqual(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) guardian.kill(signal)
  guardian.stdin.end()
  expect(await once(guardian, 'exit')).toEqual([0, null])
})

it('ends with an orderly parent, with nothing to do', async () => {
  const installation = new Installation()
  const { parent } = await parentOf(installation, { idle })
  parent.stdin.write('stop')
  await once(parent, 'exit')
  expect(installation.processes()).toEqual([])
}, 20_000)

it.each([
  ['kills what is left of a worker', true],
  ['leaves a process alone that has the number of a worker, and is another one', false],
])('%s', async (_, isTheWorker) => {
  const other = spawn(process.execPath, ['-e', idle], { detached: true, stdio: 'pipe' })
  onTestFinished(() => void other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  const start = startOf(other.pid!)
  const guardian = guardianOf(`1:1 2:2\n${other.pid}:${isTheWorker ? start : Number(start) - 1}\n${process.pid}:`)
  guardian.stdin.end()
  expect(await once(guardian, 'exit')).toEqual([0, null])
  if (isTheWorker) await vi.waitFor(() => expect(other.signalCode).toBe('SIGKILL'))
  else expect(process.kill(other.pid!, 0)).toBe(true)
})

it('says once that it can not be, and goes on trying', async () => {
  const failed = vi.fn()
  const guardian = new Guardian({ variables: {}, shell: '/nowhere/sh', failed })
  onTestFinished(() => guardian.stop())
  guardian.start()
  guardian.add(process.pid)
  await vi.waitFor(() => expect(failed).toHaveBeenCalledWith('spawn /nowhere/sh ENOENT'), { timeout: 8_000 })
  expect(failed).toHaveBeenCalledOnce()
}, 10_000)

function guardianOf(lines: string): ChildProcessWithoutNullStreams {
  const guardian = spawn('/bin/sh', ['-c', guardianScript, 'callboard-guardian', '1'], { stdio: 'pipe' })
  onTestFinished(() => void guardian.kill('SIGKILL'))
  guardian.stdin.write(lines)
  return guardian
}

function workerPids(installation: Installation, parent: ChildProcess): number[] {
  return installation.processes().filter((pid) => statOf(pid)[1] === String(parent.pid))
}

/** From the third field on: state, parent, … */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
}

const startOf = (pid: number): string => statOf(pid)[19]!

const textOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

function ignoredBy({ pid }: ChildProcess): string[] {
  const mask = BigInt(`0x${/^SigIgn:\s*(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]}`)
  const signals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const
  return signals.filter((signal) => ((mask >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n)
}
