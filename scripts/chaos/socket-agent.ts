import { setTimeout as delay } from 'node:timers/promises'
import { RawAgent } from '@callboard/testkit'
import { failureOf, type PatientAgent, type Reply } from './patient-agent.js'

const retryMs = 25

/** Lines on `mcp.sock`. A socket that ended does not come back: as every program does there, it opens another. */
export class SocketAgent implements PatientAgent {
  readonly way: 'socket_legacy' | 'socket_modern'
  doubleAnswers = 0
  readonly #path: string
  #agent: RawAgent | undefined
  #isClosed = false

  private constructor(path: string, era: 'legacy' | 'modern') {
    this.#path = path
    this.way = `socket_${era}`
  }

  static async open(path: string, era: 'legacy' | 'modern'): Promise<SocketAgent> {
    const agent = new SocketAgent(path, era)
    await agent.#connect()
    return agent
  }

  get canAsk(): boolean {
    return this.#agent !== undefined
  }

  async ask(tool: string, args: { readonly [key: string]: unknown }): Promise<Reply> {
    try {
      return { kind: 'answer', answer: await this.#agent!.ask('tools/call', { name: tool, arguments: args }) }
    } catch (error) {
      return failureOf(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#agent?.close()
  }

  async #connect(): Promise<void> {
    const agent = await RawAgent.attach(this.#path, {
      era: this.way === 'socket_modern' ? 'modern' : 'legacy',
      onMessage: ({ id, method }) => {
        if (method === undefined && id !== undefined) this.doubleAnswers += 1
      },
    })
    this.#agent = agent
    void agent.closed.then(() => this.#comeBack())
  }

  async #comeBack(): Promise<void> {
    this.#agent = undefined
    while (!this.#isClosed) {
      const isBack = await this.#connect().then(
        () => true,
        () => false,
      )
      if (isBack) return
      await delay(retryMs)
    }
  }
}
