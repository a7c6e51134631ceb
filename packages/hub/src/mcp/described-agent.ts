import type { Client, LogLevel } from '@callboard/protocol'
import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { clientOf, type Era } from './client-descriptor.js'

/** What an agent says of itself, made once for all its calls. */
export interface DescribedAgent {
  readonly capabilities: ClientCapabilities
  /** For a call whose progress nobody wants. */
  readonly quiet: Client
  readonly wantsProgress: Client
  /** For a call that is answered by one JSON object, and by no stream. */
  readonly deaf: Client
}

export function describeOnce(era: Era, capabilities: ClientCapabilities, level: LogLevel | undefined): DescribedAgent {
  return {
    capabilities,
    quiet: clientOf(era, capabilities, { level, listens: true, progress: false }),
    wantsProgress: clientOf(era, capabilities, { level, listens: true, progress: true }),
    deaf: clientOf(era, capabilities, { level, listens: false, progress: false }),
  }
}
