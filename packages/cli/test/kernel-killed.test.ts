import { expect, it, vi } from 'vitest'
import { Installation } from './support/installation.js'

it('a kernel worker killed in a long cell: the agent learns it, no Python stays, and the history says so', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: 'kernel' })
  await installation.up()
  const newestRun = async () => {
    const { stdout } = await installation.run(['call', '--json', 'weave_history'])
    return JSON.parse(stdout).structuredContent.runs[0]
  }
  const statusIs = (status: string) =>
    vi.waitFor(async () => expect(await newestRun()).toMatchObject({ status }), { timeout: 15_000, interval: 100 })

  const calling = installation.run(['call', '--json', 'weave_eval', 'code=import time; time.sleep(600)'])
  await statusIs('running')
  expect(installation.find('python/start.py')).toBeGreaterThan(0)
  process.kill(installation.find('worker kernel'), 'SIGKILL')

  const called = await calling
  expect(called.code).toBe(1)
  expect(called.stdout).toContain('outcome_unknown')
  await vi.waitFor(() => expect(() => installation.find('python/start.py')).toThrow(), { timeout: 5_000 })
  // `up` starts another worker, which settles what the dead one has left.
  await statusIs('kernel_died')
  expect((await newestRun()).error).toMatch(/outcome is unknown/)
})
