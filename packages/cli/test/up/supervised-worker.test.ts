import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { SupervisedWorker, type WorkerExit } from '../../src/up/supervised-worker.js'

let worker: SupervisedWorker
let children: ChildProcess[]
let lines: string[]
let exits: WorkerExit[]

function supervise(program: string): SupervisedWorker {
  children = []
  lines = []
  exits = []
  worker = new SupervisedWorker({
    name: 'w',
    spawn: () => {
      const child = spawn(process.execPath, ['-e', program], { detached: true, stdio: 'pipe' })
      children.push(child)
      return child
    },
    writeLine: (line) => lines.push(line),
    exited: (exit) => exits.push(exit),
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
