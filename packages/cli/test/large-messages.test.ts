// biome-ignore-all lint/suspicious/noExplicitAny: what comes over the wire is read freely here
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client as ClientOfSdk2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as TransportOfSdk2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientOfSdk1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as TransportOfSdk1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, it, onTestFinished } from 'vitest'
import { binary, Installation, untilSaid } from './support/installation.js'

const messageBytes = 4 * 1024 * 1024
const info = { name: 'test', version: '1' }
const workerFile = fileURLToPath(new URL('../../hub/test/processes/payload-worker.mjs', import.meta.url))

async function connected(modern: boolean): Promise<any> {
  const installation = new Installation()
  const hub = installation.spawn(['hub'])
  await untilSaid(hub, hub.stderr, /hub is up/)
  const { environment: env } = installation
  const worker = fork(workerFile, [`ipc://${join(installation.runtime, 'worker.sock')}`], { env })
  await once(worker, 'message')
  const client: any = modern
    ? new ClientOfSdk2(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    : new ClientOfSdk1(info)
  const parameters = { command: process.execPath, args: [binary, 'stdio'], env, stderr: 'inherit' as const }
  await client.connect((modern ? new TransportOfSdk2(parameters) : new TransportOfSdk1(parameters)) as any)
  onTestFinished(() => client.close())
  return client
}

it.each([
  ['legacy', false],
  ['modern', true],
])('callboard stdio passes whole messages of 4 MiB both ways, and links beyond it: %s', async (_, modern) => {
  const client = await connected(modern)
  const call = (name: string, args: object) => client.callTool({ name, arguments: args })
  // A little room for what the client itself adds to the params.
  const large = '"'.repeat((messageBytes - 4_096) / 2)
  expect((await call('size', { large })).content[0].text).toBe(String(messageBytes - 4_096 + '{"large":""}'.length))
  const { content } = await call('fill', { bytes: messageBytes, unit: '😀' })
  expect(Buffer.byteLength(JSON.stringify({ content }))).toBe(messageBytes)

  await expect(call('size', { large: 'x'.repeat(messageBytes) })).rejects.toThrow(/they have 4194\d+ bytes/)
  const [, ...links] = (await call('fill', { bytes: messageBytes + 1, unit: 'x' })).content
  const parts = await Promise.all(links.map(({ uri }: { uri: string }) => client.readResource({ uri })))
  const text = parts.map(({ contents }) => contents[0].text).join('')
  expect(Buffer.byteLength(JSON.stringify({ content: [{ type: 'text', text }] }))).toBe(messageBytes + 1)
})
