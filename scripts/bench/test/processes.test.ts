import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { endProcessesOf } from '../subjects/end-processes.js'
import { cpuMsOf, residentMebibytesOf } from '../windows/process-cpu.js'
import { processTree } from '../windows/process-tree.js'

const grandparent = `
const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true })
console.log(child.pid)
setInterval(() => {}, 1000)`

async function startTwo() {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'))
  onTestFinished(() => {
    endProcessesOf(directory)
    rmSync(directory, { recursive: true })
  })
  const env = { PATH: process.env['PATH'] ?? '', SOMETHING: join(directory, 'run') }
  const child = spawn(process.execPath, ['-e', grandparent], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [text] = await once(child.stdout, 'data')
  return { directory, child, grandchild: Number(text) }
}

it('a tree has the descendants, and each process its own costs', async () => {
  const { child, grandchild } = await startTwo()
  expect(processTree([child.pid!]).toSorted()).toEqual([child.pid!, grandchild].toSorted())
  expect(cpuMsOf(child.pid!)).toBeGreaterThan(0)
  expect(residentMebibytesOf(child.pid!)).toBeGreaterThan(0)
})

/** A second thread works until the process has used 0.3 s of a CPU, and says how much that is, in ms. */
const burningThread = `
const { Worker, isMainThread, parentPort } = require('node:worker_threads')
if (isMainThread) new Worker(__filename).on('message', (ms) => console.log(ms))
else {
  while (process.cpuUsage().user < 300_000) for (let turn = 0; turn < 1e6; turn += 1);
  parentPort.postMessage(process.cpuUsage().user / 1_000)
  setInterval(() => {}, 1_000)
}`

it('the costs of a process are those of all its threads', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'))
  const file = join(directory, 'burning-thread.cjs')
  writeFileSync(file, burningThread)
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(directory, { recursive: true })
  })
  const [text] = await once(child.stdout, 'data')
  // Of most of it the main thread has none.
  expect(cpuMsOf(child.pid!)).toBeGreaterThan(Number(text) / 2)
})

it('whatever names the directory is ended, also what left its parent', async () => {
  const { directory, child, grandchild } = await startTwo()
  const ended = once(child, 'exit')
  endProcessesOf(directory)
  expect(await ended).toEqual([null, 'SIGKILL'])
  // Where nobody waits for it, its number stays taken; its memory does not.
  await expect.poll(() => residentMebibytesOf(grandchild)).toBe(0)
})
