import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Installation } from '../../support/installation.js'

/** What came of a call: the tool's own answer, or the error of a tool, of the protocol, or of the hub. */
export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is read freely here
  readonly value?: any
  readonly code?: string
  readonly message?: string
}

/** One client that stays: `callboard stdio`, with a token or, without one, as the local agent of the group main. */
export class AgentSession implements Disposable {
  readonly #shim: ChildProcessWithoutNullStreams
  readonly #waiting = new Map<number, (message: Message) => void>()
  #lastId = 0

  private constructor(shim: ChildProcessWithoutNullStreams) {
    this.#shim = shim
    shim.stdin.on('error', () => {})
    shim.stderr.resume()
    createInterface(shim.stdout).on('line', (line) => {
      const message = JSON.parse(line) as Message
      if (message.id === undefined) return
      this.#waiting.get(message.id)?.(message)
      this.#waiting.delete(message.id)
    })
    shim.once('exit', (code) => {
      for (const settle of this.#waiting.values()) settle({ error: { message: `The shim ended with ${code}.` } })
    })
  }

  static async open(installation: Installation, token?: string): Promise<AgentSession> {
    const variables = token === undefined ? {} : { CALLBOARD_TOKEN: token }
    const session = new AgentSession(installation.spawn(['stdio'], variables))
    const clientInfo = { name: 'test', version: '1' }
    await session.#ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    session.#write({ method: 'notifications/initialized' })
    return session
  }

  static operator(installation: Installation): Promise<AgentSession> {
    return AgentSession.open(installation, readFileSync(join(installation.data, 'operator.secret'), 'utf8').trim())
  }

  async call(name: string, args: object = {}, meta?: object): Promise<Answer> {
    const params = { name, arguments: args, ...(meta !== undefined && { _meta: meta }) }
    const { result, error } = await this.#ask('tools/call', params)
    if (result === undefined) return { code: error?.data?.code ?? 'protocol', message: error?.message ?? '' }
    if (result.isError !== true) return { value: result.structuredContent }
    const { code, message } = result._meta?.['callboard/error'] ?? {}
    return { code: code ?? 'unknown', message: message ?? JSON.stringify(result.content) }
  }

  /** Fails when the call is refused. */
  async get(name: string, args: object = {}): Promise<NonNullable<Answer['value']>> {
    const { value, code, message } = await this.call(name, args)
    if (code !== undefined) throw new Error(`${name}: ${code}: ${message}`)
    return value
  }

  /** Any other method's result. */
  async ask(method: string, params: object = {}): Promise<Message['result']> {
    return (await this.#ask(method, params)).result
  }

  [Symbol.dispose](): void {
    this.#shim.kill()
  }

  #ask(method: string, params: object): Promise<Message> {
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#write({ id, method, params })
    })
  }

  #write(message: object): void {
    this.#shim.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
}

interface Message {
  readonly id?: number
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly result?: any
  readonly error?: { readonly message: string; readonly data?: { readonly code?: string } }
}
