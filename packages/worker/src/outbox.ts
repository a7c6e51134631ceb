import { batchMessagesMax, bodyBytesMax, headBytesMax, type Message } from '@callboard/protocol'
import { outboxBytesMax, outboxMessagesMax, sharedBodyBytesMax } from './limits.js'

/** What waits to be sent, in order. */
export class Outbox {
  #messages: Message[] = []
  /** Where unsent PROGRESS stands, by call: a newer one takes its place. Counted from the first message ever. */
  readonly #progress = new Map<string, number>()
  #taken = 0
  #bytes = 0
  #dropped = 0

  get isEmpty(): boolean {
    return this.#messages.length === 0
  }

  /** Messages lost because nothing could be sent for long. */
  get dropped(): number {
    return this.#dropped
  }

  push(message: Message): void {
    // All that waits belongs to the sign-in that this HELLO ends.
    if (message.type === 'hello') this.clear()
    if (message.type === 'progress' && this.#replace(message)) return
    this.#append(message)
    if (this.#messages.length > outboxMessagesMax || this.#bytes > outboxBytesMax) this.#shed()
  }

  /** As many as fit in one batch, or undefined when nothing waits. */
  take(): readonly Message[] | undefined {
    const count = this.#fitting()
    if (count === 0) return undefined
    const messages = this.#messages
    const taken = count === messages.length ? messages : messages.slice(0, count)
    this.#messages = count === messages.length ? [] : messages.slice(count)
    this.#taken += count
    for (const message of taken) this.#forget(message)
    return taken
  }

  /** Back to the front: the socket took none. A HELLO is not kept, it is said anew when there is a link. */
  restore(messages: readonly Message[]): void {
    const later = this.#messages
    this.clear()
    for (const message of messages) if (message.type !== 'hello') this.#append(message)
    for (const message of later) this.#append(message)
  }

  clear(): void {
    this.#taken += this.#messages.length
    this.#messages = []
    this.#progress.clear()
    this.#bytes = 0
  }

  #fitting(): number {
    let heads = 0
    let bodies = 0
    let count = 0
    for (const message of this.#messages) {
      heads += headBytesAtMost(message)
      const bytes = bodyBytes(message)
      bodies += bytes
      if (count > 0 && (heads > headBytesMax || bodies > bodyBytesMax || count >= batchMessagesMax)) break
      // A batch joins its bodies, and that is a copy.
      if (count > 0 && bytes >= sharedBodyBytesMax) break
      count += 1
      if (bytes >= sharedBodyBytesMax) break
    }
    return count
  }

  #append(message: Message): void {
    if (message.type === 'progress') this.#progress.set(message.id, this.#taken + this.#messages.length)
    this.#messages.push(message)
    this.#bytes += bodyBytes(message)
  }

  /** False: no other of its call waits. */
  #replace(message: Extract<Message, { type: 'progress' }>): boolean {
    const at = this.#progress.get(message.id)
    if (at === undefined) return false
    const index = at - this.#taken
    this.#bytes += bodyBytes(message) - bodyBytes(this.#messages[index]!)
    this.#messages[index] = message
    return true
  }

  #forget(message: Message): void {
    this.#bytes -= bodyBytes(message)
    if (message.type === 'progress') this.#progress.delete(message.id)
  }

  /** Logs and progress are by the way and go first; after that the oldest, which the hub has given up most likely. */
  #shed(): void {
    const needed = this.#messages.filter(({ type }) => type !== 'log' && type !== 'progress')
    const kept = needed.slice(-Math.floor(outboxMessagesMax / 2))
    this.#dropped += this.#messages.length - kept.length
    this.clear()
    for (const message of kept) this.#append(message)
  }
}

function bodyBytes(message: Message): number {
  return 'body' in message ? message.body.byteLength : 0
}

/** Fields of free length count by their worst UTF-8 size; all others together stay below the constant. */
function headBytesAtMost(message: Message): number {
  const rest = 1_024
  switch (message.type) {
    case 'call':
      return rest + 3 * message.name.length
    case 'event':
      return rest + 3 * (message.uri?.length ?? 0) + 3 * (message.session?.length ?? 0)
    case 'update':
      return rest + 3 * (message.session?.length ?? 0)
    case 'ready':
      return rest + message.held.reduce((sum, id) => sum + id.length + 2, 0)
    default:
      return rest
  }
}
