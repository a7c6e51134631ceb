import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RawWorker } from '../../raw-worker.js'
import { SocketAgent } from '../../socket-agent.js'
import { temporaryDirectory } from '../../temporary.js'

const program = fileURLToPath(new URL('../../processes/keyed-hub.mjs', import.meta.url))
const crowdMemoryMiB = 128
const few = 512

/** A hub in a process of its own, with so many descriptors as it may have, and a worker and an agent beside the crowd. */
async function besieged(descriptors: number) {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  await writeFile(join(data, 'authorized-workers'), '', { mode: 0o600 })
  const words = ['-c', 'ulimit -n "$0" && exec "$@"', `${descriptors}`, process.execPath, program, runtime, data]
  const child = spawn('sh', words, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: { readonly msg: string; readonly reason?: string; readonly listen?: readonly string[] }[] = []
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  while (!lines.some(({ msg }) => msg === 'hub is up')) await once(reader, 'line')
  const port = Number(/\d+$/.exec(lines.find(({ msg }) => msg === 'hub is up')!.listen![0]!)![0])
  ;(await new RawWorker(`ipc://${runtime}/worker.sock`, 'canary').signIn()).answerAll()
  const agent = await SocketAgent.attach(join(runtime, 'mcp.sock'))
  const serves = async () => expect(await agent.call('canary')).toBe('canary')
  await serves()
  return { child, lines, port, serves, attach: () => SocketAgent.attach(join(runtime, 'mcp.sock')) }
}

/** As many connections as asked for, some at a time, each silent. */
async function crowd(port: number, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()))
  while (sockets.length < count) {
    const some = Array.from({ length: 100 }, () =>
      connect(port, '127.0.0.1')
        .resume()
        .on('error', () => undefined),
    )
    sockets.push(...some)
    await Promise.all(some.map((socket) => once(socket, 'connect')))
  }
  return sockets
}

const residentMiB = ({ pid }: ChildProcess) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
const openFiles = ({ pid }: ChildProcess) => readdirSync(`/proc/${pid}/fd`).length

describe('a crowd that connects and says nothing', () => {
  it('of 10,000 holds little memory, and its descriptors for some seconds; others are served', async () => {
    const { child, lines, port, serves } = await besieged(12_000)
    const [memory, files] = [residentMiB(child), openFiles(child)]
    await crowd(port, 10_000)
    await serves()
    expect(residentMiB(child) - memory).toBeLessThan(crowdMemoryMiB)
    await expect.poll(() => openFiles(child), { timeout: 20_000, interval: 100 }).toBeLessThan(files + 10)
    expect(lines).toContainEqual(expect.objectContaining({ reason: 'too_slow' }))
    await serves()
  }, 60_000)

  it('of more than there are descriptors: who is in is served, and who comes afterwards is let in', async () => {
    const { child, lines, port, serves, attach } = await besieged(few)
    const files = openFiles(child)
    await crowd(port, 500)
    await expect.poll(() => openFiles(child)).toBe(few)
    for (let call = 0; call < 50; call++) await serves()
    await expect.poll(() => openFiles(child), { timeout: 20_000, interval: 100 }).toBeLessThan(files + 10)
    expect(lines).toContainEqual(expect.objectContaining({ reason: 'no_file_descriptor' }))
    expect(await (await attach()).call('canary')).toBe('canary')
  }, 60_000)
})
