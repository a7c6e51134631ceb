import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { binary, Installation, untilSaid } from '../support/installation.js'

const terminalFile = fileURLToPath(new URL('support/terminal.py', import.meta.url))

const nothingIsLeft = (installation: Installation) =>
  vi.waitFor(() => expect(installation.processes()).toEqual([]), { timeout: 8_000 })

/** Python that computes for ever, in a process of its own. */
async function startBusyCell(installation: Installation): Promise<void> {
  installation.spawn(['call', 'weave_eval', 'code=while True: pass']).on('error', () => {})
  const isRunning = async () =>
    expect((await installation.run(['call', 'weave_history'])).stdout).toMatch(/"status":"running"/)
  await vi.waitFor(isRunning, { timeout: 15_000, interval: 100 })
}

it.each(['SIGKILL', 'SIGABRT', 'SIGQUIT', 'SIGHUP'] as const)(
  'no worker, kernel or guardian outlives `up`, ended by %s with a cell that computes',
  async (signal) => {
    const installation = new Installation()
    const up = await installation.up()
    await startBusyCell(installation)
    up.kill(signal)
    await nothingIsLeft(installation)
  },
  60_000,
)

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'nor does a worker that is stopped, with its kernel, when `up` ends by %s',
  async (signal) => {
    const installation = new Installation()
    const up = await installation.up()
    await startBusyCell(installation)
    process.kill(installation.find('worker kernel'), 'SIGSTOP')
    up.kill(signal)
    await nothingIsLeft(installation)
  },
  60_000,
)

it('`down` does not wait for a worker that is stopped', async () => {
  const installation = new Installation()
  await installation.up()
  process.kill(installation.find('worker kernel'), 'SIGSTOP')
  expect((await installation.run(['down'])).code).toBe(0)
  expect(installation.processes()).toEqual([])
}, 60_000)

it.each([
  ['as it should', false],
  ['although a worker is stopped', true],
])(
  'ends when its terminal closes, %s',
  async (_, isStopped) => {
    const installation = new Installation()
    const terminal = spawn('python3', [terminalFile, process.execPath, binary, 'up'], {
      env: installation.environment,
      cwd: installation.directory,
    })
    onTestFinished(() => void terminal.kill('SIGKILL'))
    await untilSaid(terminal, terminal.stdout, /kernel +ready/)
    if (isStopped) process.kill(installation.find('worker kernel'), 'SIGSTOP')
    terminal.stdin.end()
    await once(terminal, 'exit')
    await nothingIsLeft(installation)
    expect(existsSync(join(installation.runtime, 'mcp.sock'))).toBe(false)
  },
  60_000,
)

it('ends in an orderly way when nobody reads its output any more', async () => {
  const installation = new Installation()
  const up = installation.spawn(['up'])
  await untilSaid(up, up.stdout, /kernel +ready/)
  const ended = once(up, 'exit')
  up.stdout.destroy()
  up.stderr.destroy()
  // What its end is said to be makes it write.
  process.kill(installation.find('worker kernel'), 'SIGKILL')
  expect(await ended).toEqual([0, null])
  await nothingIsLeft(installation)
  expect(existsSync(join(installation.runtime, 'mcp.sock'))).toBe(false)
}, 60_000)

it('goes on when its output can not be written', async () => {
  const installation = new Installation()
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const up = spawn(process.execPath, [binary, 'up'], {
    env: installation.environment,
    cwd: installation.directory,
    stdio: ['ignore', full, full],
  })
  // A call would start a hub of its own.
  const listed = async () => expect((await installation.run(['ls'])).stdout).toMatch(/^kernel +served/m)
  await vi.waitFor(listed, { timeout: 20_000 })
  const first = installation.find('worker kernel')
  process.kill(first, 'SIGKILL')
  await vi.waitFor(() => expect(installation.find('worker kernel')).not.toBe(first), { timeout: 10_000 })
  expect((await installation.run(['call', 'weave_eval', 'code=1 + 1'])).stdout).toBe('2\n')
  expect(up.exitCode).toBe(null)
}, 60_000)
