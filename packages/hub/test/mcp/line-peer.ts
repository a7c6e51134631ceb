import { type Duplex, duplexPair } from 'node:stream'
import { type LineConnection, serveLines } from '../../src/mcp/mcp-lines.js'
import type { McpFront } from '../../src/mcp/mcp-server.js'
import type { Identity } from '../../src/port.js'
import { type AgentKind, connectAgent, lineTransport, type TestAgent } from './agents.js'
import { identity, type Loose } from './fake-hub.js'

/** Two joined streams and an agent at one end. */
export async function agentOnLines(
  front: McpFront,
  kind: AgentKind,
  who: Identity = identity,
): Promise<TestAgent & { served: LineConnection }> {
  const [ours, theirs] = duplexPair()
  const served = serveLines(front, who, { input: ours, output: ours })
  const agent = await connectAgent(kind, lineTransport(theirs, theirs))
  return { ...agent, served }
}

/** Speaks lines without knowing what they mean. */
export class LinePeer {
  readonly stream: Duplex
  #rest = ''
  readonly #lines: string[] = []
  #wake: () => void = () => {}
  ended = false

  constructor(stream: Duplex) {
    this.stream = stream
    stream.on('data', (chunk: Buffer) => {
      const lines = (this.#rest + chunk.toString()).split('\n')
      this.#rest = lines.pop()!
      this.#lines.push(...lines)
      this.#wake()
    })
    const end = () => {
      this.ended = true
      this.#wake()
    }
    stream.on('end', end).on('close', end).on('error', end)
  }

  static to(front: McpFront): LinePeer & { served: LineConnection } {
    const [ours, theirs] = duplexPair()
    const served = serveLines(front, identity, { input: ours, output: ours })
    return Object.assign(new LinePeer(theirs), { served })
  }

  write(...messages: (object | string)[]): void {
    for (const message of messages) {
      this.stream.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
    }
  }

  /** The next line, parsed; undefined when the other side has ended. */
  async read(): Promise<Loose> {
    while (this.#lines.length === 0) {
      if (this.ended) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return JSON.parse(this.#lines.shift()!)
  }

  async initialize(protocolVersion = '2025-11-25', capabilities = {}): Promise<Loose> {
    const clientInfo = { name: 'peer', version: '1' }
    this.write({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: { protocolVersion, capabilities, clientInfo } })
    const answer = await this.read()
    this.write({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return answer
  }
}
