import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubLog, parseHubConfig, type RunningHub, startHub } from '@callboard/hub'
import { createKernelWorker } from '@callboard/kernel'
import { RawAgent } from '@callboard/testkit'
import type { RunningWorker } from '@callboard/worker'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

/** What only the hub and kernel workers together can show. */

const names = ['ann', 'bob', 'carl', 'dora']
let directory: string
let hub: RunningHub
let workers: RunningWorker[]
let agents: RawAgent[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-'))
  hub = await start()
  workers = []
  agents = []
})
afterEach(async () => {
  for (const agent of agents) agent.close()
  await Promise.all(workers.map((worker) => worker.stop()))
  await hub.stop()
  await rm(directory, { recursive: true })
})

function start(): Promise<RunningHub> {
  const environment = {
    CALLBOARD_RUNTIME: join(directory, 'run'),
    CALLBOARD_DATA: join(directory, 'data'),
    CALLBOARD_HTTP: 'off',
  }
  const file = { agents: Object.fromEntries(names.map((name) => [name, {}])) }
  const config = parseHubConfig({ environment, file })
  return startHub({ config, version: '1.2.3', log: createHubLog('silent', process.stderr), expects: [] })
}

async function startWorker(): Promise<void> {
  const config = { sandbox: 'off' }
  const kernel = await createKernelWorker({ dataDirectory: join(directory, `worker ${workers.length}`), config })
  const secret = (await readFile(hub.signInSecretFile, 'utf8')).trim()
  workers.push(await kernel.start({ endpoint: hub.workerEndpoint, secret, logLevel: 'silent' }))
}

async function agent(as: string): Promise<RawAgent> {
  const attached = await RawAgent.attach(hub.mcpSocketPath, { era: 'legacy', attach: { as, key: `the key of ${as}` } })
  agents.push(attached)
  return attached
}

interface Report {
  readonly [field: string]: unknown
}

async function call(caller: RawAgent, name: string, args: Report = {}): Promise<Report> {
  const { result, error } = await caller.ask('tools/call', { name, arguments: args })
  if (error) throw new Error(error.message)
  return (result as { readonly structuredContent: Report }).structuredContent
}

it('two kernel workers of one service: each agent has its own names, and no reply is swapped', async () => {
  await startWorker()
  await startWorker()
  const callers = await Promise.all(names.map(agent))
  await Promise.all(callers.map((caller, at) => call(caller, 'weave_eval', { code: `mine = "${names[at]}"` })))
  const rounds = Array.from({ length: 25 }, (_, round) => round)
  const replies = callers.flatMap((caller, at) =>
    rounds.map(async (round) => {
      const { result } = await call(caller, 'weave_eval', { code: `print(mine); mine, ${round}` })
      return [result, `('${names[at]}', ${round})`]
    }),
  )
  for (const [result, expected] of await Promise.all(replies)) expect(result).toBe(expected)
  const places = await Promise.all(
    callers.map((caller) =>
      call(caller, 'weave_eval', { code: 'import os, re; re.search("worker .", os.getcwd())[0]' }),
    ),
  )
  expect(new Set(places.map(({ result }) => result))).toEqual(new Set(["'worker 0'", "'worker 1'"]))
})

it('a run goes on while the hub is restarted, and its outcome can be read', async () => {
  await startWorker()
  const code = 'import threading\nprint("begun")\ngate = threading.Event()\ngate.wait()'
  const before = await agent('ann')
  await call(before, 'weave_eval', { code, foreground_s: 0 })
  await vi.waitFor(async () => expect(await call(before, 'weave_peek')).toMatchObject({ text: 'begun\n' }), 10_000)
  await hub.stop()
  hub = await start()

  const after = await agent('ann')
  await vi.waitFor(async () => expect(await listTools(after)).toContain('weave_wait'), 10_000)
  expect(await call(after, 'weave_peek')).toMatchObject({ status: 'running', text: 'begun\n' })
  await call(after, 'weave_interrupt', { run_id: 1 })
  expect(await call(after, 'weave_wait', { run_id: 1 })).toMatchObject({ status: 'interrupted', stdout: 'begun\n' })
  expect(await call(after, 'weave_eval', { code: '"gate" in globals()' })).toMatchObject({ result: 'True', epoch: 1 })
})

async function listTools(caller: RawAgent): Promise<readonly string[]> {
  const { result } = await caller.ask('tools/list')
  return (result as { readonly tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name)
}
