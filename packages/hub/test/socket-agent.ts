import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export interface Answer {
  readonly result?: { readonly [key: string]: unknown }
  readonly error?: { readonly code: number; readonly message: string }
}

/** A legacy MCP client on `mcp.sock`, of lines made by hand. */
export class SocketAgent {
  readonly #socket: Socket
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #greeted: (line: unknown) => void = () => undefined
  readonly #answers = new Map<string, () => object>()
  #serial = 0
  /** Resolves when the hub has hung up. */
  readonly closed: Promise<void>
  /** What the hub said to the introduction. */
  greeting: { readonly attached?: unknown; readonly error?: { readonly code: string } } = {}
  /** What it said to us, not to the MCP client, after that. */
  farewell: unknown

  private constructor(path: string) {
    this.#socket = connect(path)
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()))
    createInterface({ input: this.#socket }).on('line', (line) => this.#take(JSON.parse(line)))
    onTestFinished(() => void this.#socket.destroy())
  }

  static async attach(path: string, attach: object = {}, capabilities: object = {}): Promise<SocketAgent> {
    const agent = await SocketAgent.introduce(path, attach)
    const clientInfo = { name: 'socket-agent', version: '1' }
    await agent.ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo })
    agent.#write({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return agent
  }

  /** No further than what the hub says to the introduction. */
  static async introduce(path: string, attach: object = {}): Promise<SocketAgent> {
    const agent = new SocketAgent(path)
    const greeted = new Promise((resolve) => {
      agent.#greeted = resolve
    })
    agent.#write({ callboard: 1, attach: { key: randomUUID(), ...attach } })
    agent.greeting = (await greeted) as SocketAgent['greeting']
    return agent
  }

  close(): void {
    this.#socket.destroy()
  }

  /** The text of the result, or the code of the routing failure. */
  async call(name: string): Promise<unknown> {
    const { result, error } = await this.ask('tools/call', { name, arguments: {} })
    if (result === undefined) return error?.message
    const { content, structuredContent } = result as {
      content: { text: string }[]
      structuredContent?: { error?: { code: string } }
    }
    return structuredContent?.error?.code ?? content[0]?.text
  }

  async tools(): Promise<string[]> {
    const { result } = await this.ask('tools/list', {})
    const tools = (result?.['tools'] ?? []) as { name: string }[]
    return tools.map(({ name }) => name)
  }

  /** Answers what the hub asks. */
  onRequest(method: string, answer: () => object): void {
    this.#answers.set(method, answer)
  }

  /** Any request. */
  ask(method: string, params: object): Promise<Answer> {
    const id = ++this.#serial
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#write({ jsonrpc: '2.0', id, method, params })
    })
  }

  #take(message: { readonly id?: number; readonly callboard?: number; readonly method?: string } & Answer): void {
    if (message.callboard !== undefined) {
      this.farewell = message
      return this.#greeted(message)
    }
    if (message.method !== undefined) {
      const result = this.#answers.get(message.method)?.()
      if (result !== undefined) this.#write({ jsonrpc: '2.0', id: message.id, result })
      return
    }
    const settle = message.id === undefined ? undefined : this.#waiting.get(message.id)
    if (settle === undefined) return
    this.#waiting.delete(message.id!)
    settle(message)
  }

  #write(message: object): void {
    this.#socket.write(`${JSON.stringify(message)}\n`)
  }
}
