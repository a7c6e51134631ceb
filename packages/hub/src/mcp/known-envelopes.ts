import type { LogLevel } from '@callboard/protocol'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server'
import { type DescribedAgent, describeOnce } from './described-agent.js'
import { knownEnvelopesMax } from './limits.js'

type Meta = { readonly [key: string]: unknown }

const members: readonly string[] = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
]

/** Those that the SDK has let pass: the same text needs no second judgement. */
export class KnownEnvelopes {
  readonly #known = new Map<string, DescribedAgent>()

  /** `envelope`: of a request that the SDK has handed on. */
  learn(envelope: Meta): void {
    const text = textOf(envelope)
    if (text.length > envelopeLengthMax || this.#known.has(text)) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size >= knownEnvelopesMax) this.#known.delete(oldest)
    const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities
    const level = envelope[LOG_LEVEL_META_KEY] as LogLevel | undefined
    this.#known.set(text, describeOnce('modern', capabilities, level))
  }

  /** `meta`: of a request. Undefined also when it says more in the protocol's name. */
  find(meta: Meta): DescribedAgent | undefined {
    // What is null would have the same text as what is not there.
    for (const key in meta) {
      if (key.startsWith('io.modelcontextprotocol/') && (!members.includes(key) || meta[key] === null)) return undefined
    }
    return this.#known.get(textOf(meta))
  }
}

/** What says more of itself is judged anew each time. */
const envelopeLengthMax = 4_096

const textOf = (meta: Meta): string => JSON.stringify(members.map((member) => meta[member] ?? null))
