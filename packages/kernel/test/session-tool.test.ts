import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectForTest, type TestLink } from '@callboard/worker/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createKernelWorker, type KernelWorker } from '../src/index.js'
import { withinBytes } from '../src/tools/within-bytes.js'

let directory: string
let kernel: KernelWorker
let link: TestLink

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-test-'))
  kernel = await createKernelWorker({ dataDirectory: directory, config: { sandbox: 'off' } })
  link = await connectForTest(kernel.worker)
})
afterEach(async () => {
  await link.close()
  await kernel.close()
  await rm(directory, { recursive: true, force: true })
})

interface Value {
  readonly [field: string]: unknown
}

async function call(name: string, args: Value = {}): Promise<Value> {
  return (await link.callTool<Value>(name, args)).structuredContent!
}

it('weave_session stays below 8 KiB with all that a session can hold, and tells how much there is', async () => {
  // The text takes up to six bytes per character as JSON.
  const code = `
odd = "\\x01\\u7532" * 500
session(name="甲" * 64, vibe=odd)
for i in range(1_000): marker("%03d" % i + "甲" * 61, i)
for i in range(256): rule("event:" + "e" * 100 + "*", "notify:" + odd[:900], name="%03d" % i + "甲" * 61, priority="critical")
for i in range(60): globals()["名" * 300 + str(i)] = i
for i in range(12): note("甲" * 900)
for i in range(3): emit("e" * 101)
raise ValueError(odd)`
  const lab = { kernel: '𝕏'.repeat(32) }
  expect(await call('weave_eval', { code, ...lab })).toMatchObject({
    error: expect.stringMatching(/ValueError: .{400}/),
  })
  const alive = await call('weave_session', lab)
  await call('weave_eval', { code: `import os; os.write(2, b"\\x01" * 5_000); os._exit(1)`, ...lab })
  const dead = await call('weave_session', lab)
  for (const session of [alive, dead]) {
    expect(Buffer.byteLength(JSON.stringify(session))).toBeLessThan(8 * 1024)
    expect(session).toMatchObject({ rules_total: 256, markers_total: 1_000, last_error: expect.any(String) })
    // Half a character would be no JSON to some clients.
    expect(JSON.stringify(session)).not.toMatch(/\\ud[89a-f]/)
    for (const list of ['active_rules', 'markers', 'recent_history', 'notices']) {
      expect((session[list] as unknown[]).length, list).toBeGreaterThan(0)
    }
  }
  expect(alive).toMatchObject({ names: expect.arrayContaining([expect.stringMatching(/^名+…$/)]), names_total: 62 })
  expect(dead['kernel']).toMatchObject({ state: 'dead', last_death: expect.any(String) })
})

it('weave_session tells of the newest notices when not all have room', async () => {
  await call('weave_eval', { code: 'for i in range(30): rule("at:0", f"notify:{i} " + "\u7532" * 900).fire()' })
  const { notices } = (await call('weave_session')) as { readonly notices: readonly string[] }
  expect(notices.length).toBeLessThan(20)
  expect(notices[0]).toMatch(/: 29 /)
})

it('lists share the room of a reply: what a short one does not need is left to the long ones', () => {
  const long = Array.from({ length: 1_000 }, (_, index) => ({ index }))
  const reply = withinBytes(1_000, { id: 'x', long, short: [1] }, { long, short: [1, 2, 3], none: [] })
  expect(Buffer.byteLength(JSON.stringify(reply))).toBeLessThanOrEqual(1_000)
  expect(Buffer.byteLength(JSON.stringify(reply))).toBeGreaterThan(970)
  expect(reply).toMatchObject({ id: 'x', short: [1, 2, 3], none: [] })
  expect(Object.keys(reply)).toEqual(['id', 'long', 'short', 'none'])
})
