import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Probe } from '../probe.js'

/** With each thing that it is told: ten promises, three immediates, two timers, one write. */
const program = `
process.stdin.on('data', () => {
  for (let index = 0; index < 10; index += 1) new Promise(() => {})
  for (let index = 0; index < 3; index += 1) setImmediate(() => {})
  for (let index = 0; index < 2; index += 1) setTimeout(() => {}, 1)
  process.stdout.write('done')
})`
const directory = mkdtempSync(join(tmpdir(), 'callboard-'))
const path = join(directory, 'probe.sock')
const probeProgram = fileURLToPath(new URL('../../dist/bench/probe-program.js', import.meta.url))
const child = spawn(process.execPath, ['--expose-gc', '--import', probeProgram, '-e', program], {
  env: { PATH: process.env['PATH'] ?? '', BENCH_PROBE: path },
  stdio: ['pipe', 'pipe', 'inherit'],
})
let probe: Probe

beforeAll(async () => {
  probe = await Probe.attach(path)
})

afterAll(async () => {
  probe[Symbol.dispose]()
  const ended = once(child, 'exit')
  child.kill()
  await ended
  rmSync(directory, { recursive: true, force: true })
})

describe('the probe', () => {
  it('counts what the process does while it counts', async () => {
    await work()
    await probe.ask('count')
    await work()
    await work()
    const counted = await probe.ask('counted')
    await work()
    expect(counted).toMatchObject({ timers: 10, writes: 2, batchesOut: 0, batchesIn: 0 })
    expect(counted.promises).toBeGreaterThanOrEqual(20)
    expect(counted.promises).toBeLessThan(40)
  })

  it('begins anew with each count', async () => {
    await probe.ask('count')
    await work()
    await probe.ask('count')
    expect(await probe.ask('counted')).toMatchObject({ timers: 0, writes: 0, promises: 0 })
  })

  it('knows what the process uses', async () => {
    const before = await probe.cpuMicros()
    expect(before).toBeGreaterThan(0)
    const { heapBytes, residentBytes } = await probe.ask('heap')
    expect(heapBytes).toBeGreaterThan(1_000_000)
    expect(residentBytes).toBeGreaterThan(heapBytes)
    expect(await probe.cpuMicros()).toBeGreaterThan(before)
  })
})

async function work(): Promise<void> {
  const done = once(child.stdout, 'data')
  child.stdin.write('go')
  await done
}
