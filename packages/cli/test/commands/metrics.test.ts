import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkout, freePort, Installation } from '../support/installation.js'

it('prints what HTTP gives to Prometheus, also without HTTP', async () => {
  const installation = new Installation()
  await installation.hub()
  await installation.worker(join(checkout, 'packages/cli/test/support/tool-worker.mjs'), ['one'])
  await installation.run(['call', 'a1'])
  const { code, stdout, stderr } = await installation.run(['metrics'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^callboard_workers\{service="one",state="ready"\} 1$/m)
  expect(stdout).toMatch(/^callboard_build_info\{version="0\.1\.0",node="v[\d.]+"\} 1$/m)
  expect(stdout.endsWith('\n') && !stdout.endsWith('\n\n')).toBe(true)
})

it('has the series of HTTP, for a token of the command line', async () => {
  const port = await freePort()
  const installation = new Installation({ CALLBOARD_HTTP: `127.0.0.1:${port}` })
  await installation.hub()
  const token = (await installation.run(['token', 'new', 'prometheus'])).stdout.trim()
  const url = `http://127.0.0.1:${port}/metrics`
  expect((await fetch(url)).status).toBe(401)
  const page = await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text()
  const familiesIn = (text: string) => text.split('\n').filter((line) => line.startsWith('#'))
  expect(familiesIn(page)).toEqual(familiesIn((await installation.run(['metrics'])).stdout))
})

it('prints them as JSON, with the bounds of the buckets', async () => {
  const installation = new Installation()
  await installation.hub()
  await installation.worker(join(checkout, 'packages/cli/test/support/tool-worker.mjs'), ['one'])
  const { version, process, bucketsMs, broker } = JSON.parse((await installation.run(['metrics', '--json'])).stdout)
  expect([version, process.pid]).toEqual(['0.1.0', installation.find('callboard.js hub')])
  expect(broker.services).toMatchObject([{ service: 'one', workers: { ready: 1 } }])
  expect(broker.services[0].latency.counts).toHaveLength(bucketsMs.length + 1)
})

it('says that no hub runs', async () => {
  const installation = new Installation()
  const { code, stdout, stderr } = await installation.run(['metrics'])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^callboard: No hub is running in .*: start one with "callboard up"\.\n$/)
})
