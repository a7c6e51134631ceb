import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { ProtocolError } from '@modelcontextprotocol/server'
import { invalidParams } from './json-rpc.js'
import { inputWaitMs, suspendedCallsMax, suspendedCallsPerPrincipalMax } from './limits.js'

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
    this.#makeRoom(call.subject.principal)
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

  #makeRoom(principal: string): void {
    for (const [ticket, { expiresAt }] of this.#held) {
      if (expiresAt > this.#now()) break
      this.#giveUp(ticket)
    }
    if (this.#held.size < suspendedCallsPerPrincipalMax) return
    const own = this.#ticketsOf(principal)
    if (own.length >= suspendedCallsPerPrincipalMax) this.#giveUp(own[0]!)
    else if (this.#held.size >= suspendedCallsMax) this.#giveUp(this.#ticketsOf(this.#largestHolder())[0]!)
  }

  #giveUp(ticket: string): void {
    const held = this.#held.get(ticket)
    this.#held.delete(ticket)
    held?.abandon()
  }

  /** The oldest first. */
  #ticketsOf(principal: string): string[] {
    return [...this.#held].filter(([, { subject }]) => subject.principal === principal).map(([ticket]) => ticket)
  }

  #largestHolder(): string {
    const counts = new Map<string, number>()
    for (const { subject } of this.#held.values()) {
      counts.set(subject.principal, (counts.get(subject.principal) ?? 0) + 1)
    }
    return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most))[0]
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
