import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runSpoolBytesMax } from '../src/limits.js'

const script = fileURLToPath(new URL('./support/printing-worker.js', import.meta.url))
const mebibyte = 1024 * 1024

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-memory-test-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

interface Printed {
  readonly text: string
  readonly omittedBytes: number
  readonly totalBytes: number
  readonly outcome: string
  readonly losses: readonly string[]
  /** Bytes of resident memory, at the peak. */
  readonly grown: number
}

async function print(code: string): Promise<Printed> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, directory, code])
  return JSON.parse(stdout) as Printed
}

describe.each([
  ['in one piece', 'sys.stdout.write("x" * 100_000_000)'],
  ['line by line', 'line = "x" * 99 + "\\n"\nfor _ in range(1_000_000): sys.stdout.write(line)'],
  [
    'by a thread',
    'import threading\nthread = threading.Thread(target=lambda: sys.stdout.write("x" * 100_000_000)); thread.start(); thread.join()',
  ],
  [
    'by a program',
    'import subprocess\nsubprocess.run("head -c 100000000 /dev/zero | tr \'\\\\0\' x", shell=True); None',
  ],
  [
    'as a progress bar',
    'bar = "x" * 60 + "\\r"\nfor _ in range(1_000_000): sys.stdout.write(bar)\nprint("x" * 50_000_000)',
  ],
])('a print of 100 MB %s', (_, code) => {
  it('makes a bounded reply, and the worker grows by at most 30 MiB', async () => {
    const printed = await print(code)
    expect(printed.outcome).toBe('ok')
    expect(Buffer.byteLength(printed.text)).toBeLessThan(33 * 1024)
    expect(printed.omittedBytes).toBe(printed.totalBytes - 32 * 1024)
    if (printed.totalBytes > runSpoolBytesMax) expect(printed.losses.join()).toContain('a run keeps at most 64 MiB')
    expect(printed.grown).toBeLessThanOrEqual(30 * mebibyte)
  })
})
