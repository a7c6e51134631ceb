import type { LogLevel } from '@callboard/protocol'
import type { Server } from '@modelcontextprotocol/server'
import type { Era } from './client-descriptor.js'
import { type DescribedAgent, describeOnce } from './described-agent.js'
import type { DirectRequest } from './direct-request.js'
import type { KnownEnvelopes } from './known-envelopes.js'

/** An agent, as the SDK has come to know it. */
export interface DirectAgent {
  readonly era: Era
  /** For questions to a legacy client. */
  readonly server: Server
  /** Undefined: the request says something that the SDK has to judge. */
  describe(request: DirectRequest): DescribedAgent | undefined
}

/** It has said at the beginning what it is. */
export class LegacyAgent implements DirectAgent {
  readonly era = 'legacy'
  readonly server: Server & { readonly logLevel: LogLevel }
  #described: DescribedAgent | undefined
  #level: LogLevel | undefined

  constructor(server: Server & { readonly logLevel: LogLevel }) {
    this.server = server
  }

  describe({ meta }: DirectRequest): DescribedAgent | undefined {
    for (const key in meta) if (key.startsWith('io.modelcontextprotocol/')) return undefined
    const { logLevel } = this.server
    if (this.#described === undefined || this.#level !== logLevel) {
      this.#level = logLevel
      this.#described = describeOnce('legacy', this.server.getClientCapabilities() ?? {}, logLevel)
    }
    return this.#described
  }
}

/** It says with each request what it is. */
export class ModernAgent implements DirectAgent {
  readonly era = 'modern'
  readonly server: Server
  readonly #envelopes: KnownEnvelopes

  constructor(server: Server, envelopes: KnownEnvelopes) {
    this.server = server
    this.#envelopes = envelopes
  }

  describe({ meta }: DirectRequest): DescribedAgent | undefined {
    return this.#envelopes.find(meta)
  }
}
