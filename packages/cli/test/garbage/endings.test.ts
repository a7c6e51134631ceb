import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { Installation } from '../support/installation.js'
import { LineClient, type LineWay, lineWays } from './line-client.js'

const everything = fileURLToPath(new URL('../interop/everything-worker.mjs', import.meta.url))

/** A hub with a worker, a client of it, and another one that must not notice. */
async function stage(way: LineWay) {
  const installation = new Installation()
  const isOwnHub = way === 'callboard hub --stdio'
  if (!isOwnHub) await installation.hub()
  const early = isOwnHub ? await LineClient.open(way, '2025-11-25', installation) : undefined
  const worker = await installation.worker(everything)
  const client = early ?? (await LineClient.open(way, '2025-11-25', installation))
  const other = await LineClient.open('mcp.sock', '2026-07-28', installation)
  return { installation, client, other, worker }
}

const call = (client: LineClient, name: string, args: object, more: object = {}) =>
  `${client.request(name, 'tools/call', { name, arguments: args, ...more })}\n`

describe.each(lineWays)('the end of a client: %s', (way) => {
  /** What is left afterwards: the hub, unless it was the client's own. */
  async function leaves({ installation, client, other }: Awaited<ReturnType<typeof stage>>) {
    await client.ends.ended
    if (way !== 'callboard hub --stdio') expect(await other.wellFormed()).toEqual([])
    const isLeft = () => installation.processes().some((pid) => pid === client.ends.pid)
    expect(isLeft()).toBe(false)
  }

  it('in the middle of a line', async () => {
    const all = await stage(way)
    all.client.ends.output.end('{"jsonrpc":"2.0","id":1,"met')
    await leaves(all)
  })

  it('while a call is under way: it is cancelled at its worker', async () => {
    const all = await stage(way)
    const heard = all.client.wellFormed(1)
    all.client.write(call(all.client, 'wait', { key: 'k' }, { _meta: { progressToken: 1 } }))
    expect(await heard).toMatchObject([{ method: 'notifications/progress' }])
    const cancelled = all.other.wellFormed(1)
    all.other.write(call(all.other, 'cancelled', { key: 'k' }))
    all.client.ends.output.end()
    if (way === 'callboard hub --stdio') await all.other.ends.ended
    else expect(await cancelled).toMatchObject([{ id: 'cancelled', result: {} }])
    await leaves(all)
  })

  it('by a kill, with an answer that nobody has read', async () => {
    const all = await stage(way)
    all.client.ends.input.pause()
    all.client.write(call(all.client, 'echo', { text: 'x'.repeat(1_000_000) }))
    all.client.ends.kill()
    if (way === 'callboard hub --stdio') return void (await all.client.ends.ended)
    await leaves(all)
  })
})

describe.each(['mcp.sock', 'callboard stdio'] as const)('a client that never reads: %s', (way) => {
  it('is given up or waits, and others are served', async () => {
    const { installation, client, other } = await stage(way)
    client.ends.input.pause()
    const hub = installation.find('callboard.js hub')
    // 400 MB of answers, were they all made.
    const line = call(client, 'echo', { text: 'x'.repeat(200_000) })
    for (let count = 0; count < 2_000; count += 1) if (!client.ends.output.write(line)) break
    expect(await other.wellFormed()).toEqual([])
    expect(installation.residentBytes(hub)).toBeLessThan(400 * 1024 * 1024)
    client.ends.kill()
    await client.ends.ended
    expect(await other.wellFormed()).toEqual([])
  })
})

it('the end of its stdin ends a hub with stdio, and nothing is left of it', async () => {
  const { installation, client, worker } = await stage('callboard hub --stdio')
  client.ends.output.end()
  await client.ends.ended
  worker.kill('SIGKILL')
  await vi.waitFor(() => expect(installation.processes()).toEqual([]))
})
