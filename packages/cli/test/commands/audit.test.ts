import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { checkout, Installation } from '../support/installation.js'

const toolWorker = join(checkout, 'packages/cli/test/support/tool-worker.mjs')

it('each call has its line, and follow shows it as it comes', async () => {
  const installation = new Installation({ CALLBOARD_AUDIT: 'on' })
  await installation.hub()
  await installation.worker(toolWorker, ['one'])
  const following = installation.spawn(['audit', 'tail', '-f', '--json', '--outcome', 'result'])
  const lines = createInterface(following.stdout)[Symbol.asyncIterator]()
  await installation.run(['call', 'a1'])
  const { value } = await lines.next()
  expect(JSON.parse(value)).toMatchObject({ kind: 'call', tool: 'a1', service: 'one', outcome: 'result', depth: 0 })
  expect(JSON.parse(value).principal).toEqual(expect.stringMatching(/./))
  following.kill()
  await once(following, 'close')
  const { code, stdout } = await installation.run(['audit', 'verify', '--json'])
  expect([code, JSON.parse(stdout).ok]).toEqual([0, true])
  expect((await installation.run(['metrics'])).stdout).toMatch(/^callboard_audit_lost_total 0$/m)
})

it('shows calls in columns that nothing else makes wider', async () => {
  const installation = new Installation({ CALLBOARD_AUDIT: 'on' })
  await installation.hub()
  await installation.worker(toolWorker, ['one'])
  await installation.run(['call', 'a1'])
  const shown = (await installation.run(['audit', 'tail'])).stdout.split('\n')
  expect(shown[0]).toMatch(/^TIME {21}WHO {9}WHAT {11}OUTCOME {2}MS {2,}WORKER$/)
  expect(shown.find((line) => line.includes('worker_joined'))).toMatch(
    / - {10}\s+worker_joined {2,}service=one instance=/,
  )
})

it('verify says where the journal was changed, and exits 1', async () => {
  const installation = new Installation({ CALLBOARD_AUDIT: 'on' })
  const hub = await installation.hub()
  hub.kill('SIGTERM')
  await once(hub, 'exit')
  const head = (await installation.run(['audit', 'head'])).stdout.trim()
  expect((await installation.run(['audit', 'verify', '--expect', head])).code).toBe(0)
  appendFileSync(join(installation.data, 'audit/audit-00000001.jsonl'), '{}\n')
  const { code, stdout } = await installation.run(['audit', 'verify'])
  expect(code).toBe(1)
  expect(stdout).toContain('PROBLEM audit-00000001.jsonl:4: the line is not as it was written')
})

it('what callers choose is shown so that it can be seen, and nothing of it is obeyed', async () => {
  const installation = new Installation({ CALLBOARD_AUDIT: 'on' })
  const hub = await installation.hub()
  await installation.run(['call', 'gre\u200bet\u001b[2J\u2028'])
  hub.kill('SIGTERM')
  await once(hub, 'exit')
  const { stdout } = await installation.run(['audit', 'tail'])
  expect(stdout).toMatch(/gre\\u\{200b\}et\\u001b\[2J\\u\{2028\} +unknown/)
})

it('says that there is no journal, and how to have one', async () => {
  const { code, stderr } = await new Installation().run(['audit', 'tail'])
  expect(code).toBe(2)
  expect(stderr).toContain('CALLBOARD_AUDIT=on')
})
