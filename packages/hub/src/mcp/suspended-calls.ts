import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { ProtocolError } from '@modelcontextprotocol/server'
import { invalidParams } from './json-rpc.js'
import { inputWaitMs, suspendedCallsMax } from './limits.js'

/** What a modern call that waits for input was; a retry must be by the same principal and ask the same. */
export interface CallSubject {
  readonly principal: string
  readonly method: string
  readonly argumentsHash: string
}

export interface SuspendedCall {
  readonly id: string
  readonly subject: CallSubject
  /** Ends the call; nobody will bring what it waits for. */
  readonly abandon: () => void
}

interface Held extends SuspendedCall {
  readonly expiresAt: number
}

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const purpose = Buffer.from('callboard/requestState/1')

/**
 * The calls whose `input_required` result is with a modern client. Their state travels sealed by a key that dies with the
 * hub, and is worth one retry: it names an entry of this table, which is gone once it was used.
 */
export class SuspendedCalls {
  readonly #key = randomBytes(32)
  readonly #held = new Map<string, Held>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  get size(): number {
    return this.#held.size
  }

  /** Returns the `requestState` for the client. */
  suspend(call: SuspendedCall): string {
    this.#forgetExpired()
    const ticket = randomUUID()
    const expiresAt = this.#now() + inputWaitMs
    this.#held.set(ticket, { ...call, expiresAt })
    return this.#seal(JSON.stringify({ ticket, id: call.id, ...call.subject, expiresAt }))
  }

  /** @throws ProtocolError -32602 for a state that is forged, expired, used, someone else's or another call's. */
  redeem(state: unknown, subject: CallSubject): SuspendedCall {
    const sealed = typeof state === 'string' ? this.#unseal(state) : undefined
    const held = sealed === undefined ? undefined : this.#held.get(sealed.ticket)
    if (held === undefined || held.expiresAt <= this.#now() || !isSame(held.subject, subject)) {
      throw new ProtocolError(invalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
    }
    this.#held.delete(sealed!.ticket)
    return held
  }

  #forgetExpired(): void {
    for (const [ticket, held] of this.#held) {
      if (held.expiresAt > this.#now() && this.#held.size < suspendedCallsMax) return
      this.#held.delete(ticket)
      held.abandon()
    }
  }

  #seal(text: string): string {
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, this.#key, nonce).setAAD(purpose)
    const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()])
    return Buffer.concat([nonce, sealed, sealing.getAuthTag()]).toString('base64url')
  }

  #unseal(state: string): { readonly ticket: string } | undefined {
    const bytes = Buffer.from(state, 'base64url')
    if (bytes.length <= nonceBytes + tagBytes) return undefined
    try {
      const opening = createDecipheriv(cipher, this.#key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      opening.setAAD(purpose).setAuthTag(bytes.subarray(-tagBytes))
      const text = Buffer.concat([opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()])
      return JSON.parse(text.toString('utf8')) as { ticket: string }
    } catch {
      return undefined
    }
  }
}

function isSame(left: CallSubject, right: CallSubject): boolean {
  return (
    left.principal === right.principal && left.method === right.method && left.argumentsHash === right.argumentsHash
  )
}
