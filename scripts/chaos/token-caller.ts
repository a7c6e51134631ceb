import { RawAgent, type RawAnswer, type RawMessage } from '@callboard/testkit'
import type { Caller } from './caller.js'

/** One connection on `mcp.sock` of an agent with a token: to the hub a principal of its own. */
export class TokenCaller implements Caller {
  readonly #agent: RawAgent
  readonly #strays: Map<unknown, () => void>

  private constructor(agent: RawAgent, strays: Map<unknown, () => void>) {
    this.#agent = agent
    this.#strays = strays
  }

  static async open(path: string, era: 'legacy' | 'modern', token: string): Promise<TokenCaller> {
    const strays = new Map<unknown, () => void>()
    const onMessage = ({ id, method }: RawMessage) => method === undefined && strays.get(id)?.()
    return new TokenCaller(await RawAgent.attach(path, { era, attach: { token }, onMessage }), strays)
  }

  call(name: string, args: { readonly [key: string]: unknown }, stray: () => void): Promise<RawAnswer> {
    const { id, answer } = this.#agent.begin('tools/call', { name, arguments: args })
    this.#strays.set(id, stray)
    return answer
  }

  close(): void {
    this.#agent.close()
  }
}
