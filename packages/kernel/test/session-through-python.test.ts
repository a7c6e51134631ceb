import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectForTest, type TestLink } from '@callboard/worker/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createKernelWorker, type KernelWorker } from '../src/index.js'
import type { RunReport } from '../src/kernel/run-report.js'

let directory: string
let kernel: KernelWorker
let link: TestLink

async function open(): Promise<void> {
  kernel = await createKernelWorker({ dataDirectory: directory })
  link = await connectForTest(kernel.worker)
}

async function close(): Promise<void> {
  await link.close()
  await kernel.close()
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-test-'))
  await open()
})
afterEach(async () => {
  await close()
  await rm(directory, { recursive: true, force: true })
})

async function run(code: string): Promise<string | null> {
  const { result, error } = (await link.callTool<RunReport>('weave_eval', { code })).structuredContent!
  if (error !== null) throw new Error(error)
  return result
}

it('callbacks fire on the beat while a cell runs, and rules change the clock', async () => {
  const code = `
heard = []
@on_beat(1)
def count(beat): heard.append(beat)
rule("at:2", "tempo:480")
tempo(240)
play()
await until_beat(4)
stop()
(heard[:4], tempo(), get_rule("count").log(1)[0]["outcome"])`
  expect(await run(code)).toBe("([0.0, 1.0, 2.0, 3.0], 480.0, 'ok')")
})

it('an event wakes its rule, whose own event wakes a waiter', async () => {
  const code = `
@on_event("mix.*", ok=True)
def mixed(event): emit("heard", event["data"]["take"])
start = events().cursor
emit("mix.ready", {"ok": False, "take": 1})
emit("mix.ready", {"ok": True, "take": 2})
(await wait_event("heard", 20, cursor=start))["data"]`
  expect(await run(code)).toBe('2')
})

it('functions are unbound by a reset, until they are registered again; what is stored stays', async () => {
  const register = `
@on_beat(4)
def bar(beat): pass
rule("beat:4", "emit:bar", name="data")
marker("drop", 32)`
  const state = '[(r.name, r.status) for r in rules()], [m.name for m in markers()]'
  await run(register)
  await link.callTool('weave_reset', {})
  expect(await run(state)).toBe("([('bar', 'unbound'), ('data', 'active')], ['drop'])")
  await run(register)
  expect(await run(state)).toBe("([('bar', 'active'), ('data', 'active')], ['drop'])")
  const session = (await link.callTool<{ active_rules: unknown[] }>('weave_session')).structuredContent
  expect(session?.active_rules).toMatchObject([
    { trigger: 'beat:4', action: 'call:bar', priority: 'normal', enabled: true, fired_count: 0 },
    { trigger: 'beat:4', action: 'emit:bar' },
  ])
})

it('after a restart of the worker an `at` rule fires, a disabled one is listed and does not, a removed one never returns', async () => {
  await run(`
rule("at:2", "emit:hit", name="at")
rule("at:2", "emit:no", name="off", enabled=False)
rule("at:2", "emit:gone", name="removed").remove()
tempo(600)`)
  await close()
  await open()
  const session = (await link.callTool<{ active_rules: unknown[] }>('weave_session')).structuredContent
  expect(session?.active_rules).toMatchObject([
    { trigger: 'at:2', action: 'emit:hit', enabled: true },
    { trigger: 'at:2', action: 'emit:no', enabled: false },
  ])
  const code = `
start = events().cursor
play()
await wait_event("hit", 10, cursor=start)
await until_beat(4)
[e["type"] for e in events(start, ["hit", "no", "gone"]).events], get_rule("off").fired_count, len(rules(all=True))`
  expect(await run(code)).toBe("(['hit'], 0, 2)")
})
