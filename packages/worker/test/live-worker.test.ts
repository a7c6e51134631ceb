import { inspect } from 'node:util'
import { encodeBatch, type FromHub, type Message } from '@callboard/protocol'
import { expect, test } from 'vitest'
import { DefinedWorker } from '../src/define-worker.js'
import { SignInRefused } from '../src/errors.js'
import type { HubLink, HubLinkListener } from '../src/hub-link.js'
import { noHubNoticeMs } from '../src/limits.js'
import { SteadyClock } from '../src/steady-clock.js'

const secret = 'open sesame, thou of 32 random bytes'

/** Answers HELLO with a challenge, and READY with what the test says. */
class RefusingHub implements HubLink {
  readonly endpoint = 'ipc:///run/callboard/worker.sock'
  readonly sent: Message[] = []
  readonly #refusal: FromHub
  #listener: HubLinkListener | undefined

  constructor(refusal: FromHub) {
    this.#refusal = refusal
  }

  open(listener: HubLinkListener): void {
    this.#listener = listener
    queueMicrotask(() => listener.linkUp())
  }

  send(message: Message): void {
    this.sent.push(message)
    if (message.type === 'ready') this.#deliver(this.#refusal)
    if (message.type !== 'hello') return
    this.#deliver({ type: 'challenge', version: 1, nonce: new Uint8Array(32), epoch: 'hubepoch0a' })
  }

  async close(): Promise<void> {}

  #deliver(message: FromHub): void {
    queueMicrotask(() => this.#listener?.received([message]))
  }
}

test('a refusal for good is one line of the log, and run() ends with exit code 1', async () => {
  const worker = new DefinedWorker({ service: 'kernel', version: '1.0.0' })
  const before = process.exitCode
  const lines: string[] = []
  const connect = worker.connect.bind(worker)
  worker.connect = (connection, signal) => {
    const link = new RefusingHub({ type: 'reject', code: 'proof_required', message: 'The name "kernel" is reserved.' })
    const note = (...entry: unknown[]) => void lines.push(String(entry[1]))
    return connect({ ...connection, link, log: { info: note, warn: note, error: note } }, signal)
  }
  try {
    const refusal = await worker.run({ endpoint: 'ipc:///nowhere/worker.sock' })
    expect(refusal).toBeInstanceOf(SignInRefused)
    expect(process.exitCode).toBe(1)
    expect(lines).toEqual(['The hub refused the worker "kernel": The name "kernel" is reserved. (proof_required)'])
  } finally {
    process.exitCode = before
  }
})

test('the secret is in no message, log or error [CB-88]', async () => {
  const logged: unknown[] = []
  const note = (...entry: unknown[]) => void logged.push(...entry)
  const link = new RefusingHub({ type: 'reject', code: 'bad_proof', message: 'The proof does not fit.' })
  const live = new DefinedWorker({ service: 'greeter', version: '1.0.0' }).connect({
    link,
    routingId: 'greeter/test',
    instance: 'test',
    secret,
    clock: new SteadyClock(),
    log: { info: note, warn: note, error: note },
  })
  const error = await live.closed.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ name: 'SignInRefused', code: 'bad_proof' })
  expect(link.sent.map(({ type }) => type)).toEqual(['hello', 'ready', 'hello', 'ready'])
  expect(logged.length).toBeGreaterThan(0)
  const bytes = link.sent.flatMap((message) => encodeBatch([message]).map((frame) => Buffer.from(frame).toString()))
  const shown = inspect({ error, logged, live }, { depth: Number.POSITIVE_INFINITY, showHidden: true })
  expect(`${bytes.join('\n')}\n${shown}`).not.toContain(secret)
})

/** `warned`: gets what it logs as a warning. */
const connectGreeter = (link: HubLink, now: () => number, warned: unknown[][]) =>
  new DefinedWorker({ service: 'greeter', version: '1.0.0' }).connect({
    link,
    routingId: 'greeter/test',
    instance: 'test',
    clock: { now, toUtc: (time) => time },
    log: { info: () => {}, warn: (...entry: unknown[]) => void warned.push(entry), error: () => {} },
  })

test('a worker that finds no hub logs where it looks and what to check', async () => {
  const warned: unknown[][] = []
  const endpoint = 'ipc:///run/callboard/worker.sock'
  const link: HubLink = { endpoint, open: () => {}, send: () => {}, close: async () => {} }
  let now = 1_000_000
  const live = connectGreeter(link, () => now, warned)
  now += noHubNoticeMs
  live.dispatch({ type: 'tick' })
  await live.stop()
  expect(warned).toEqual([[{ endpoint }, expect.stringMatching(/callboard up.*CALLBOARD_RUNTIME.*CALLBOARD_HUB/)]])
})

test('a worker that is refused by a hub that came late logs why, at once and once', async () => {
  const warned: unknown[][] = []
  let now = 1_000_000
  let listener: HubLinkListener | undefined
  let problem: string | undefined
  const link: HubLink = {
    endpoint: 'tcp://hub.example:8766',
    get problem() {
      return problem
    },
    open: (given) => {
      listener = given
    },
    send: () => {},
    close: async () => {},
  }
  const live = connectGreeter(link, () => now, warned)
  problem = 'for now'
  listener?.refused?.()
  problem = undefined
  expect(warned).toEqual([])
  now += noHubNoticeMs
  live.dispatch({ type: 'tick' })
  problem = 'its key is not A or B'
  for (let each = 0; each < 3; each++) listener?.refused?.()
  await live.stop()
  expect(warned.map(([fields]) => (fields as { problem?: string }).problem)).toEqual([undefined, problem])
})
