import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHubLog, parseHubConfig, type RunningHub, startHub } from '../../src/index.js'
import { RawWorker } from '../raw-worker.js'
import { temporaryDirectory } from '../temporary.js'
import { sampleOf } from './parsed-metrics.js'

const token = 'the token of prometheus'

async function start(variables: Record<string, string> = {}, policy?: object): Promise<RunningHub> {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  if (policy !== undefined) await writeFile(join(data, 'policy.json'), JSON.stringify(policy))
  const directories = { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data, CALLBOARD_HTTP: '127.0.0.1:0' }
  const config = parseHubConfig({
    file: { agents: { prometheus: { token } } },
    environment: { ...directories, ...variables },
  })
  const log = createHubLog('silent', process.stderr)
  const hub = await startHub({ config, version: '9.8.7', log, expects: [] })
  onTestFinished(() => hub.stop())
  return hub
}

const get = (hub: RunningHub, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${hub.httpAddresses[0]!.port}/metrics`, { headers })

it('a hub tells who shows a token of its workers and of itself', async () => {
  const hub = await start()
  await new RawWorker(hub.workerEndpoint).signIn()
  const page = await (await get(hub, { authorization: `Bearer ${token}` })).text()
  expect(sampleOf(page, 'callboard_workers', { service: 'raw', state: 'ready' })).toBe(1)
  expect(sampleOf(page, 'callboard_calls_queued', { service: 'raw' })).toBe(0)
  expect(sampleOf(page, 'callboard_build_info', { version: '9.8.7', node: process.version })).toBe(1)
  expect(sampleOf(page, 'callboard_hub_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  expect(sampleOf(page, 'callboard_hub_open_file_descriptors')).toBeGreaterThan(3)
  expect(sampleOf(page, 'callboard_hub_start_time_seconds')).toBe(Math.round(performance.timeOrigin) / 1000)
  expect((await get(hub)).status).toBe(401)
})

it('a hub whose metrics are open tells everybody', async () => {
  const hub = await start({ CALLBOARD_HTTP_METRICS: 'open' })
  await new RawWorker(hub.workerEndpoint).signIn()
  const page = await (await get(hub)).text()
  expect(sampleOf(page, 'callboard_workers', { service: 'raw', state: 'ready' })).toBe(1)
})

describe('a service of which the policy hides everything', () => {
  const rules = [
    { who: ['agent:prometheus', 'agent:http'], services: ['raw'], do: 'hide' },
    { who: ['agent:prometheus', 'agent:http'], tools: ['seen'], do: 'show' },
  ]

  it('is in no series for whom it is hidden from, in the others it is', async () => {
    const hub = await start({}, { rules })
    await new RawWorker(hub.workerEndpoint).signIn()
    await new RawWorker(hub.workerEndpoint, 'seen').signIn()
    const page = await (await get(hub, { authorization: `Bearer ${token}` })).text()
    expect(page).not.toMatch(/raw/)
    expect(sampleOf(page, 'callboard_workers', { service: 'seen', state: 'ready' })).toBe(1)
  })

  it('is not where metrics are open, either: everybody is agent:http', async () => {
    const hub = await start({ CALLBOARD_HTTP_METRICS: 'open', CALLBOARD_HTTP_OPEN: 'none' }, { rules })
    await new RawWorker(hub.workerEndpoint).signIn()
    await new RawWorker(hub.workerEndpoint, 'seen').signIn()
    const page = await (await get(hub)).text()
    expect(page).not.toMatch(/raw/)
    expect(sampleOf(page, 'callboard_workers', { service: 'seen', state: 'ready' })).toBe(1)
  })

  it('is there for the operator secret', async () => {
    const hub = await start({}, { default: 'hide', rules })
    await new RawWorker(hub.workerEndpoint).signIn()
    const secret = await readFile(join(hub.signInSecretFile, '..', 'operator.secret'), 'utf8')
    const page = await (await get(hub, { authorization: `Bearer ${secret.trim()}` })).text()
    expect(sampleOf(page, 'callboard_workers', { service: 'raw', state: 'ready' })).toBe(1)
  })
})

it('a call that waits grows older while nothing else happens', async () => {
  const hub = await start()
  const worker = await new RawWorker(hub.workerEndpoint).signIn()
  const headers = { authorization: `Bearer ${token}` }
  const url = `http://127.0.0.1:${hub.httpAddresses[0]!.port}/tools/raw`
  const left = new AbortController()
  onTestFinished(() => left.abort())
  const request = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }
  const call = () => void fetch(url, { ...request, signal: left.signal }).catch(() => undefined)
  call()
  await worker.next('request')
  const age = async () =>
    sampleOf(await (await get(hub, headers)).text(), 'callboard_queue_oldest_age_seconds', { service: 'raw' })
  while (hub.snapshot().queued === 0) {
    call()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await vi.waitFor(async () => expect(await age()).toBeGreaterThan(0.5), { timeout: 4_000, interval: 100 })
})
