import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Container } from './container.js'

/** An MCP client beside a hub's container, as its user would configure it: `docker compose exec -T hub callboard stdio`. */
export class Agent implements AsyncDisposable {
  readonly #client = new Client({ name: 'deploy', version: '1.0.0' })

  static async connect(hub: Container): Promise<Agent> {
    const agent = new Agent()
    const [command, ...args] = hub.entry(['callboard', 'stdio'])
    await agent.#client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }))
    return agent
  }

  async tools(): Promise<readonly string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name)
  }

  /** The text of its answer. @throws when the tool refused */
  async call(name: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { content, isError } = await this.#client.callTool({ name, arguments: { ...parameters } })
    const text = (content as readonly { readonly text?: string }[]).map((part) => part.text ?? '').join('\n')
    if (isError === true) throw new Error(`${name}: ${text}`)
    return text
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close()
  }
}
