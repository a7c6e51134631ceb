import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { command, type HubProcess } from '../hub-process.js'
import { failureOf, type PatientAgent, type Reply, type Way } from './patient-agent.js'

type SdkWay = Extract<Way, `http_${string}` | `stdio_${string}`>

/** What both SDKs have in common, as far as it is used here. */
interface AnyClient {
  connect(transport: never): Promise<void>
  callTool(params: object, ...more: readonly unknown[]): Promise<unknown>
  close(): Promise<void>
  onerror?: ((error: Error) => void) | undefined
}

interface AnyTransport {
  onmessage?: ((message: never, extra: never) => void) | undefined
}

/** A client whose stream broke waits for its answer until its own time is over; by itself that is a minute. */
const answerWithinMs = 10_000

const info = { name: 'patient', version: '1' }

/** A client of one of the official SDKs, made once. */
export class SdkAgent implements PatientAgent {
  readonly way: SdkWay
  readonly canAsk = true
  doubleAnswers = 0
  readonly #client: AnyClient
  readonly #answered = new Set<unknown>()

  private constructor(way: SdkWay, client: AnyClient) {
    this.way = way
    this.#client = client
  }

  static async open(way: SdkWay, hub: HubProcess): Promise<SdkAgent> {
    const modern = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    const client = (way.endsWith('modern') ? modern : new LegacyClient(info)) as AnyClient
    const agent = new SdkAgent(way, client)
    const transport = transportOf(way, hub)
    // Each error that matters to a call is the call's, too.
    client.onerror = () => undefined
    await client.connect(transport as never)
    agent.#listen(transport)
    return agent
  }

  async ask(tool: string, args: { readonly [key: string]: unknown }): Promise<Reply> {
    try {
      return { kind: 'answer', answer: { result: await this.#callTool({ name: tool, arguments: args }) } }
    } catch (error) {
      return failureOf(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close().catch(() => undefined)
  }

  /** The SDKs' clients take their options at different places. */
  async #callTool(params: object): Promise<{ readonly [key: string]: unknown }> {
    const options = { timeout: answerWithinMs }
    const more = this.way.endsWith('modern') ? [options] : [undefined, options]
    return (await this.#client.callTool(params, ...more)) as { readonly [key: string]: unknown }
  }

  /** The client itself passes over an answer to what it does not wait for. */
  #listen(transport: AnyTransport): void {
    const deliver = transport.onmessage
    transport.onmessage = (message: { readonly id?: unknown; readonly method?: unknown }, extra: never) => {
      if (message.method === undefined && message.id !== undefined) {
        if (this.#answered.has(message.id)) this.doubleAnswers += 1
        this.#answered.add(message.id)
      }
      deliver?.(message as never, extra)
    }
  }
}

function transportOf(way: SdkWay, hub: HubProcess): AnyTransport {
  const stdio = { command: process.execPath, args: [command, 'stdio'], env: hub.environment, stderr: 'ignore' as const }
  switch (way) {
    case 'http_legacy':
      return new LegacyHttp(new URL(hub.url)) as AnyTransport
    case 'http_modern':
      return new ModernHttp(new URL(hub.url)) as AnyTransport
    case 'stdio_legacy':
      return new LegacyStdio(stdio) as AnyTransport
    case 'stdio_modern':
      return new ModernStdio(stdio) as AnyTransport
    default:
      return way satisfies never
  }
}
