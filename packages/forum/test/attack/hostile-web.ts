import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { quiet } from '@callboard/testkit'
import type { VirtualClock } from '@callboard/worker/testing'
import { onTestFinished } from 'vitest'
import { openWholeForum, type WholeForum, type WholeForumOptions } from '../support/whole-forum.js'

export interface SeenRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** What a hostile forum answers: JSON of a value, or whatever it does with the response. */
export type Hostile = (request: SeenRequest, response: ServerResponse) => unknown

export interface HostileWeb {
  readonly origin: string
  readonly requests: readonly SeenRequest[]
  seen(expression: RegExp): readonly SeenRequest[]
}

/** A server that is no forum and means no good. What `answer` returns goes out as JSON with 200; undefined: it has answered. */
export async function hostileWeb(answer: Hostile): Promise<HostileWeb> {
  const requests: SeenRequest[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method = '', url: path = '', headers } = incoming
    const request = { method, path, headers, body: Buffer.concat(chunks).toString() }
    requests.push(request)
    const value = answer(request, response)
    if (value !== undefined) response.writeHead(200, { 'content-type': 'application/json' }).end(textOf(value))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    seen: (expression) => requests.filter(({ method, path }) => expression.test(`${method} ${path}`)),
  }
}

/** JSON that no value of JavaScript has, such as a number with a thousand digits. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const textOf = (value: unknown): string => (value instanceof RawJson ? value.text : JSON.stringify(value))

/** An answer that lets a selection succeed, whatever else the server does. */
export function about({ path }: SeenRequest, extra: object = {}): unknown {
  if (path === '/about.json') return { about: { title: 'Friendly', version: '2026.9.0', ...extra } }
  return undefined
}

/** Unlike anything else, and with a digit early, so that its first eight characters tell that it was there. */
export const adminKey = 'k3y7adm1n9f4c2b8e6d0a5f3c1b7e9d2a4f6c8b0e1d3a5f7'

export const writing = { allow_writes: true, read_only: false }

export const adminAt = (site: string, more: object = {}) => ({
  site,
  api_key: adminKey,
  api_username: 'system',
  ...more,
})

export async function worker(options: WholeForumOptions = {}): Promise<WholeForum> {
  const opened = await openWholeForum(options)
  onTestFinished(() => opened[Symbol.asyncDispose]())
  return opened
}

/** Time passes until that has ended. */
export function through<Result>(whole: WholeForum, call: Promise<Result>): Promise<Result> {
  return passing(whole.clock, call, () => whole.settle())
}

export async function passing<Result>(
  clock: VirtualClock,
  work: Promise<Result>,
  settle: () => Promise<void> = quiet,
): Promise<Result> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  work.then(done, done)
  while (!isDone) {
    // The database takes time that no virtual clock knows of: then nobody sleeps, and it is looked again.
    await settle()
    const next = clock.nextWake
    if (!isDone && next !== undefined) clock.advance(Math.max(0, next - clock.now()))
  }
  return work
}
