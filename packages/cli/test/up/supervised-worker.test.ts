import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { SupervisedWorker, type WorkerExit } from '../../src/up/supervised-worker.js'

let worker: SupervisedWorker
let children: ChildProcess[]
let lines: string[]
let exits: WorkerExit[]
let recovered: string[]

const node = (program: string) => spawn(process.execPath, ['-e', program], { detached: true, stdio: 'pipe' })

function supervise(program: string, start = node): SupervisedWorker {
  children = []
  lines = []
  exits = []
  recovered = []
  worker = new SupervisedWorker({
    name: 'w',
    spawn: () => {
      const child = start(program)
      children.push(child)
      return child
    },
    writeLine: (line) => lines.push(line),
    exited: (exit) => exits.push(exit),
    recovered: (name) => recovered.push(name),
    random: () => 0,
  })
  worker.start()
  return worker
}

afterEach(() => worker.stop())

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

/** The living processes of a group: without an init, dead ones may stay in the table. */
function membersOf(group: number): string[] {
  const states = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => statOf(pid))
  return states.filter((line) => new RegExp(`^\\d+ \\(.*\\) [^Z] \\d+ ${group} `, 's').test(line))
}

it('passes JSON lines on as they are, and names who said anything else', async () => {
  supervise(`console.error('{"level":30}'); console.error('plain'); setInterval(() => {}, 1e6)`)
  await vi.waitFor(() => expect(lines).toEqual(['{"level":30}', '[w] plain']))
})

it('starts again what ended, and says how it ended and what it said last', async () => {
  supervise(`console.error('callboard: no luck'); process.exit(3)`)
  await vi.waitFor(() => expect(children.length).toBeGreaterThan(1), { timeout: 5_000 })
  expect(exits[0]).toMatchObject({ worker: 'w', code: 3, how: 'exit code 3', complaint: 'no luck', restartInMs: 500 })
})

it('makes an end of a worker that does not want to, and of what it started', async () => {
  const deaf = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6)`
  supervise(`require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], { stdio: 'inherit' });
    ${deaf}; console.error('up')`)
  await vi.waitFor(() => expect(lines).toEqual(['[w] up']))
  await worker.stop()
  await vi.waitFor(() => expect(membersOf(children[0]!.pid!)).toEqual([]))
  expect(exits).toEqual([])
  expect(children).toHaveLength(1)
})

it('ends what a worker that hangs has started, in groups of their own too', async () => {
  supervise(`const { pid } = require('child_process')
    .spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { detached: true, stdio: 'ignore' })
    process.on('SIGTERM', () => {}); console.error(pid); setTimeout(() => { for (;;); }, 10)`)
  await vi.waitFor(() => expect(lines).toEqual([expect.stringMatching(/^\[w\] \d+$/)]))
  const program = Number(lines[0]!.slice('[w] '.length))
  expect(membersOf(program)).toHaveLength(1)
  await worker.stop()
  await vi.waitFor(() => expect(membersOf(program)).toEqual([]))
})

it.each([
  [
    'is not there',
    () => spawn('/nowhere/worker', [], { detached: true, stdio: 'pipe' }),
    'spawn /nowhere/worker ENOENT',
  ],
  ['is given too much', () => spawn(process.execPath, ['x'.repeat(4 << 20)], { stdio: 'pipe' }), 'spawn E2BIG'],
] as const)('tries a program again that can not be started: it %s', async (_, start, how) => {
  supervise('', start)
  await vi.waitFor(() => expect(exits.length).toBeGreaterThan(1), { timeout: 5_000 })
  expect(exits[0]).toMatchObject({ how, code: null, restartInMs: 500, crashLoop: 'none' })
  expect(worker.status).toMatchObject({ state: 'restarting', lastExit: { how } })
  expect(worker.status).not.toHaveProperty('pid')
})

it('shows a worker that starts, runs, waits for its next start, and is in a crash loop until it signs in', async () => {
  supervise(`console.error('callboard: no luck'); process.stdin.resume().on('end', () => process.exit(3))`)
  const end = async (count: number) => {
    await vi.waitFor(() => expect(worker.status.pid).toBe(children[count - 1]?.pid ?? -1), { timeout: 5_000 })
    children[count - 1]!.stdin!.end()
    await vi.waitFor(() => expect(exits).toHaveLength(count), { timeout: 5_000 })
  }
  expect(worker.status).toEqual({ worker: 'w', state: 'starting', restarts: 0, endsInARow: 0, pid: children[0]!.pid })
  worker.signedIn()
  expect(worker.status.state).toBe('running')
  await end(1)
  expect(worker.status).toEqual({
    worker: 'w',
    state: 'restarting',
    restarts: 0,
    endsInARow: 1,
    restartsAt: expect.any(Number),
    lastExit: { how: 'exit code 3', at: expect.any(Number), complaint: 'no luck' },
  })
  for (const count of [2, 3, 4]) await end(count)
  expect(exits.map(({ crashLoop }) => crashLoop)).toEqual(['none', 'none', 'none', 'begins'])
  expect(worker.status).toMatchObject({
    state: 'crash_looping',
    restarts: 3,
    endsInARow: 4,
    crashLoopingSince: expect.any(Number),
  })
  await vi.waitFor(() => expect(children).toHaveLength(5), { timeout: 5_000 })
  expect(worker.status.state).toBe('crash_looping')
  worker.signedIn()
  expect(recovered).toEqual(['w'])
  expect(worker.status.state).toBe('running')
  expect(worker.status).not.toHaveProperty('crashLoopingSince')
}, 20_000)
