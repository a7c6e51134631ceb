import { batchMessagesMax, bodyBytesMax, headBytesMax, type Message } from '@callboard/protocol'
import { outboxBytesMax, outboxMessagesMax } from './limits.js'

interface Entry {
  message: Message
}

/** What waits to be sent, in order. */
export class Outbox {
  #entries: Entry[] = []
  /** Unsent PROGRESS by call: a newer one takes its place. */
  readonly #progress = new Map<string, Entry>()
  #bytes = 0
  #dropped = 0

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** Messages lost because nothing could be sent for long. */
  get dropped(): number {
    return this.#dropped
  }

  push(message: Message): void {
    // All that waits belongs to the sign-in that this HELLO ends.
    if (message.type === 'hello') this.clear()
    const unsent = message.type === 'progress' ? this.#progress.get(message.id) : undefined
    if (unsent !== undefined) {
      this.#bytes += bodyBytes(message) - bodyBytes(unsent.message)
      unsent.message = message
      return
    }
    this.#append({ message })
    if (this.#entries.length > outboxMessagesMax || this.#bytes > outboxBytesMax) this.#shed()
  }

  /** As many as fit in one batch, or undefined when nothing waits. */
  take(): Message[] | undefined {
    let heads = 0
    let bodies = 0
    let count = 0
    for (const { message } of this.#entries) {
      heads += headBytesAtMost(message)
      bodies += bodyBytes(message)
      if (count > 0 && (heads > headBytesMax || bodies > bodyBytesMax || count >= batchMessagesMax)) break
      count += 1
    }
    if (count === 0) return undefined
    return this.#entries.splice(0, count).map((entry) => this.#forget(entry))
  }

  /** Back to the front: the socket took none. A HELLO is not kept, it is said anew when there is a link. */
  restore(messages: readonly Message[]): void {
    const later = this.#entries
    this.#entries = []
    this.#bytes = 0
    this.#progress.clear()
    for (const message of messages) if (message.type !== 'hello') this.#append({ message })
    for (const entry of later) this.#append(entry)
  }

  clear(): void {
    this.#entries = []
    this.#progress.clear()
    this.#bytes = 0
  }

  #append(entry: Entry): void {
    this.#entries.push(entry)
    this.#bytes += bodyBytes(entry.message)
    if (entry.message.type === 'progress') this.#progress.set(entry.message.id, entry)
  }

  #forget(entry: Entry): Message {
    this.#bytes -= bodyBytes(entry.message)
    if (entry.message.type === 'progress' && this.#progress.get(entry.message.id) === entry) {
      this.#progress.delete(entry.message.id)
    }
    return entry.message
  }

  /** Logs and progress are by the way and go first; after that the oldest, which the hub has given up most likely. */
  #shed(): void {
    const needed = this.#entries.filter(({ message }) => message.type !== 'log' && message.type !== 'progress')
    const kept = needed.slice(-Math.floor(outboxMessagesMax / 2))
    this.#dropped += this.#entries.length - kept.length
    this.clear()
    for (const entry of kept) this.#append(entry)
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
