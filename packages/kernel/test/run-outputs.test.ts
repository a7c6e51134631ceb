import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lateRunsBytesMax, lateRunsMax, lateSettleMs, streamBytesMax } from '../src/limits.js'
import { RunOutput } from '../src/output/run-output.js'
import { RunOutputs } from '../src/output/run-outputs.js'
import { Spool } from '../src/output/spool.js'
import { openStoredOutput, type StoredTexts } from '../src/output/stored-output.js'
import { until } from './support/processes.js'

let directory: string
let spool: Spool
let outputs: RunOutputs
let rows: Map<number, StoredTexts>

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  directory = await mkdtemp(join(tmpdir(), 'callboard-outputs-test-'))
  spool = await Spool.open({ directory, bytesMax: 2 ** 30 })
  rows = new Map()
  outputs = new RunOutputs({
    onLate: (run, output) => record(run, output),
    recall: async (run) => {
      const row = rows.get(run)
      return row && { row, spool: spool.run('owner', run) }
    },
  })
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(directory, { recursive: true, force: true })
})

function record(run: number, { stdout, stderr }: RunOutput): void {
  rows.set(run, {
    stdout: stdout.read().text,
    stderr: stderr.read().text,
    stdoutBytes: stdout.totalBytes,
    stderrBytes: stderr.totalBytes,
  })
}

function finish(run: number, text: string): void {
  const output = new RunOutput(() => {}, spool.run('owner', run))
  outputs.add(run, output)
  outputs.push(run, 'stdout', Buffer.from(text))
  outputs.end(run)
  record(run, output)
}

function fillWithOthers(): void {
  for (let run = 2; run < lateRunsMax + 10; run += 1) finish(run, 'other')
  expect(outputs.get(1)).toBeUndefined()
}

/** The timers are the test's: this waits for the store and the disk. */
async function written(run: number): Promise<string> {
  vi.useRealTimers()
  await until(() => outputs.get(run) !== undefined)
  outputs.close()
  const stored = await openStoredOutput(rows.get(run)!, spool.run('owner', run))
  return (await stored.stdout.readAt(0, 1_000_000)).bytes.toString()
}

describe('output of ended runs', () => {
  it('that comes late is recorded once it has settled', () => {
    finish(1, 'first\n')
    outputs.push(1, 'stdout', Buffer.from('late\n'))
    outputs.push(1, 'stdout', Buffer.from('later'))
    expect(rows.get(1)!.stdout).toBe('first\n')
    vi.advanceTimersByTime(lateSettleMs)
    expect(rows.get(1)).toMatchObject({ stdout: 'first\nlate\nlater', stdoutBytes: 16 })
  })

  it('is recorded at once when the process has gone', () => {
    finish(1, 'first\n')
    outputs.push(1, 'stdout', Buffer.from('late\n'))
    outputs.close()
    expect(rows.get(1)!.stdout).toBe('first\nlate\n')
    expect(outputs.get(1)).toBeUndefined()
  })

  it('stays in memory within a bound, those written last the longest', () => {
    for (let run = 1; run <= 100; run += 1) {
      finish(run, 'x'.repeat(streamBytesMax))
      if (run > 1) outputs.push(1, 'stdout', Buffer.from('late'))
      vi.advanceTimersByTime(lateSettleMs)
    }
    const kept = Array.from({ length: 101 }, (_, run) => outputs.get(run)).filter((output) => output !== undefined)
    expect(kept.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0)).toBeLessThanOrEqual(lateRunsBytesMax)
    expect(outputs.get(1)).toBeDefined()
    expect(outputs.get(100)).toBeDefined()
  })

  it.each([
    ['fitted into a reply', 'short é\n'],
    ['was spooled', 'long é\n'.repeat(20_000)],
    ['exactly filled a reply', 'x'.repeat(streamBytesMax)],
    ['was empty', ''],
  ])('of a run that is no longer remembered, and %s, is put behind the rest', async (_, text) => {
    finish(1, text)
    fillWithOthers()
    outputs.push(1, 'stdout', Buffer.from('late\n'))
    outputs.push(1, 'stdout', Buffer.from('later\n'))
    expect(await written(1)).toBe(`${text}late\nlater\n`)
    expect(rows.get(1)!.stdout).toMatch(/late\nlater\n$/)
    expect(outputs.takeLostBytes()).toBe(0)
  })

  it('is counted as lost when its row is gone', async () => {
    finish(1, 'text')
    fillWithOthers()
    rows.delete(1)
    outputs.push(1, 'stdout', Buffer.from('late\n'))
    await vi.waitFor(() => expect(outputs.takeLostBytes()).toBe(5))
    expect(outputs.takeLostBytes()).toBe(0)
  })
})
