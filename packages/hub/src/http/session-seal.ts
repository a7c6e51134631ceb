import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { isRecord } from '../mcp/json-rpc.js'
import type { Identity } from '../port.js'
import { sealedIdLengthMax, sealedIdMsMax } from './limits.js'
import { holderOf } from './standing.js'

/** What `initialize` said, as far as the hub has to know it for the rest of the session. */
export interface Introduction {
  /** As the client asked for it: the same question has the same answer. */
  readonly protocolVersion: string
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly clientInfo: { readonly name: string; readonly version: string }
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Session ids that a restarted hub can open, so that it needs no store of sessions. Whoever reads one learns nothing, whoever changes
 * one has none, and it is of no use to anybody but its holder. The nonce is what makes it unguessable, and one unlike the other.
 */
export class SessionSeal {
  readonly #key: Uint8Array
  readonly #now: () => number

  /** `key`: 32 bytes, the same in the next life of the hub. */
  constructor(key: Uint8Array, now: () => number = Date.now) {
    this.#key = key
    this.#now = now
  }

  /** Base64url. Undefined when the client says too much of itself for a header: its session ends with this hub. */
  seal({ protocolVersion, capabilities, clientInfo }: Introduction, holder: Identity): string | undefined {
    const { name, version } = clientInfo
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(holderOf(holder)))
    const said = JSON.stringify([this.#now(), protocolVersion, capabilities, name, version])
    const sealed = Buffer.concat([nonce, cipher.update(said, 'utf8'), cipher.final(), cipher.getAuthTag()])
    const id = sealed.toString('base64url')
    return id.length > sealedIdLengthMax ? undefined : id
  }

  /** Total. Undefined unless it was sealed with this key for this holder, and not too long ago. */
  open(id: string, holder: Identity): Introduction | undefined {
    if (id.length > sealedIdLengthMax) return undefined
    const said = this.#decipher(id, Buffer.from(holderOf(holder)))
    if (said === undefined) return undefined
    const [openedAt, protocolVersion, capabilities, name, version] = JSON.parse(said)
    if (this.#now() - openedAt >= sealedIdMsMax) return undefined
    return { protocolVersion, capabilities, clientInfo: { name, version } }
  }

  #decipher(id: string, holder: Uint8Array): string | undefined {
    const bytes = Buffer.from(id, 'base64url')
    // The same bytes spelled otherwise would be another session.
    if (bytes.length <= nonceBytes + tagBytes || bytes.toString('base64url') !== id) return undefined
    const options = { authTagLength: tagBytes }
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes), options).setAAD(holder)
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }
}

/** Undefined for what the SDK will refuse. */
export function introductionIn(params: unknown): Introduction | undefined {
  if (!isRecord(params)) return undefined
  const { protocolVersion, capabilities, clientInfo } = params
  if (typeof protocolVersion !== 'string' || !isRecord(capabilities) || !isRecord(clientInfo)) return undefined
  const { name, version } = clientInfo
  return typeof name === 'string' && typeof version === 'string'
    ? { protocolVersion, capabilities, clientInfo: { name, version } }
    : undefined
}
