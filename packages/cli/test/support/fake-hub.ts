import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Installation } from './installation.js'

export interface Command {
  readonly command: string
  readonly [key: string]: unknown
}

/** Answers commands on the hub's socket; returns those that it was given, but for snapshots. */
export async function fakeHub(
  { runtime }: Installation,
  answer: (command: Command) => object,
): Promise<readonly Command[]> {
  const heard: Command[] = []
  mkdirSync(runtime, { mode: 0o700 })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (line) => {
      const command: Command = JSON.parse(line.toString()).control
      if (command.command !== 'snapshot') heard.push(command)
      socket.end(`${JSON.stringify({ callboard: 1, ...answer(command) })}\n`)
    })
  }).listen(join(runtime, 'mcp.sock'))
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return heard
}

export function statusOf(snapshot: object, hub: object = {}): object {
  return {
    hub: { pid: process.pid, version: '0.1.0', startedAt: Date.now(), runtime: '/r', http: [], ...hub },
    snapshot: { workers: [], services: [], calls: [], sessions: 0, connections: 0, queued: 0, ...snapshot },
  }
}

export const workerOf = (service: string, instance: string, more: object = {}) => ({
  service,
  instance,
  version: '1',
  state: 'ready',
  trusted: false,
  joinedAt: Date.now(),
  inFlight: 0,
  suspended: 0,
  concurrency: 1,
  refused: [],
  ...more,
})
