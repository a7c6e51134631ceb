import type { Server } from '@modelcontextprotocol/server'
import type { Connection, ConnectionListener, Identity, ListScope } from '../port.js'
import { type Era, scopeOf } from './client-descriptor.js'
import { type DirectAgent, LegacyAgent, ModernAgent } from './direct-agent.js'
import { type AgentServer, createMcpServer, type McpFront } from './mcp-server.js'

/** One agent's lasting connection: the hub's end of it, and the SDK's servers that tell the agent what changed. */
export class AgentEndpoint implements ConnectionListener {
  readonly connection: Connection
  readonly #front: McpFront
  readonly #ready = new Map<Server, Era>()
  /** The hub has let the agent go: whoever has its wire is to close it, and this. */
  readonly ended: () => void
  #era: Era | undefined
  #direct: DirectAgent | undefined

  constructor(front: McpFront, identity: Identity, ended: () => void) {
    this.#front = front
    this.ended = ended
    this.connection = front.hub.open(identity, this)
  }

  /** Undefined before the client has said anything. */
  get era(): Era | undefined {
    return this.#era
  }

  /** For the SDK, which decides the era by what the client says first. */
  readonly createServer = ({ era }: { readonly era: Era }): Server => {
    this.#era = era
    const server = createMcpServer(this.#front, this.connection, era)
    // A legacy client may be told nothing before it has said that it is initialized.
    this.#direct = undefined
    if (era === 'modern') this.#isReady(server, era)
    else server.oninitialized = () => this.#isReady(server, era)
    server.onclose = () => this.#ready.delete(server)
    return server
  }

  /** Who is there, for calls that do without the SDK; undefined until it has said what there is to say first. */
  get direct(): DirectAgent | undefined {
    return this.#direct
  }

  listChanged(kind: 'tools' | 'resources' | 'prompts', scope: ListScope): void {
    this.#tell((server, era) => (scopeOf(era) === scope ? announce(server, kind) : undefined))
  }

  resourceUpdated(uri: string): void {
    this.#tell((server) => server.sendResourceUpdated({ uri }))
  }

  close(): void {
    this.#ready.clear()
    this.connection.close()
    this.#front.tasks.release(this.connection.identity)
  }

  /** As {@link close}, when the agent has said that it will not come back. */
  leave(): void {
    this.#ready.clear()
    this.connection.leave()
    this.#front.tasks.release(this.connection.identity)
  }

  #isReady(server: AgentServer, era: Era): void {
    this.#ready.set(server, era)
    this.#direct = era === 'modern' ? new ModernAgent(server, this.#front.envelopes) : new LegacyAgent(server)
  }

  #tell(send: (server: Server, era: Era) => Promise<void> | undefined): void {
    for (const [server, era] of this.#ready) {
      send(server, era)?.catch((error: unknown) =>
        this.#front.log.debug({ err: error }, 'an agent missed a notification'),
      )
    }
  }
}

function announce(server: Server, kind: 'tools' | 'resources' | 'prompts'): Promise<void> {
  switch (kind) {
    case 'tools':
      return server.sendToolListChanged()
    case 'resources':
      return server.sendResourceListChanged()
    case 'prompts':
      return server.sendPromptListChanged()
    default:
      return kind satisfies never
  }
}
