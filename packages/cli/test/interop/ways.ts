import { fileURLToPath } from 'node:url'
import { StdioClientTransport as StdioOfSdk2 } from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport as StdioOfSdk1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { type AgentKind, connectAgent, httpTransport, type TestAgent } from '../../../hub/test/mcp/agents.js'
import { binary, Installation } from '../support/installation.js'

/** How a client comes to a hub. */
export const ways = ['callboard stdio', 'callboard hub --stdio', 'HTTP'] as const
export type Way = (typeof ways)[number]

const everything = fileURLToPath(new URL('./everything-worker.mjs', import.meta.url))

/**
 * One hub with a worker that offers everything, for all who come by the shim or by HTTP; who speaks with a hub over its own
 * stdio has a hub of its own.
 */
export class Stage {
  readonly #ends: (() => Promise<void>)[] = []
  #shared: { readonly installation: Installation; readonly url: URL } | undefined

  async open(): Promise<void> {
    const installation = this.#install({ CALLBOARD_HTTP: '127.0.0.1:0', CALLBOARD_HTTP_OPEN: '*' })
    await installation.hub()
    await installation.worker(everything)
    this.#shared = { installation, url: await installation.httpUrl() }
  }

  async connect(kind: AgentKind, way: Way): Promise<TestAgent> {
    const { installation, url } = this.#shared!
    switch (way) {
      case 'HTTP':
        return connectAgent(kind, httpTransport(kind, url))
      case 'callboard stdio':
        return connectAgent(kind, stdioTransport(kind, ['stdio'], installation))
      case 'callboard hub --stdio': {
        const own = this.#install()
        const agent = await connectAgent(kind, stdioTransport(kind, ['hub', '--stdio'], own))
        await own.worker(everything)
        // A legacy client is told of the worker that came after it.
        if (!agent.modern) {
          for (const kind of ['tools', 'prompts', 'resources'])
            await agent.notified(`notifications/${kind}/list_changed`)
        }
        return agent
      }
      default:
        return way satisfies never
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#ends.map((end) => end()))
  }

  #install(variables: Record<string, string> = {}): Installation {
    return new Installation(variables, (clean) => this.#ends.push(clean))
  }
}

export function stdioTransport(
  kind: AgentKind,
  words: readonly string[],
  { environment }: Pick<Installation, 'environment'>,
): never {
  const Transport = kind === 'sdk 1' ? StdioOfSdk1 : StdioOfSdk2
  const transport = new Transport({
    command: process.execPath,
    args: [binary, ...words],
    env: environment,
    stderr: 'ignore',
  })
  return transport as never
}
