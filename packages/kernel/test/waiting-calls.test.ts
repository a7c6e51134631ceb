import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectForTest } from '@callboard/worker/testing'
import { expect, it } from 'vitest'
import { createKernelWorker } from '../src/index.js'
import { waitingCallsPerOwnerMax } from '../src/limits.js'

it('calls of one owner that only wait are bounded: no other owner waits for them, and an eval is never refused for them', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-test-'))
  const kernel = await createKernelWorker({ dataDirectory: directory, config: { sandbox: 'off' } })
  const link = await connectForTest(kernel.worker)
  const leave = new AbortController()
  try {
    const listen = () => link.callTool('weave_events', { types: ['never'], timeout_s: 30 }, { signal: leave.signal })
    const waiting = Array.from({ length: waitingCallsPerOwnerMax }, listen)
    expect(await listen()).toMatchObject({ isError: true, _meta: { 'callboard/error': { code: 'overloaded' } } })
    const own = await link.callTool('weave_eval', { code: '1 + 1' })
    expect(own.structuredContent).toMatchObject({ status: expect.stringMatching(/queued|running/), run_id: 1 })
    const other = await link.callTool('weave_eval', { code: '1 + 1' }, { principal: 'agent:other' })
    expect(other.structuredContent).toMatchObject({ status: 'ok', result: '2' })
    leave.abort()
    await Promise.allSettled(waiting)
    const ended = await link.callTool('weave_wait', { run_id: 1 })
    expect(ended.structuredContent).toMatchObject({ status: 'ok', result: '2' })
  } finally {
    await link.close()
    await kernel.close()
    await rm(directory, { recursive: true, force: true })
  }
})
