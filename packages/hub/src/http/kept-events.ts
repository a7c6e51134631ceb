import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'
import * as limits from './limits.js'

/** What all logs hold together, oldest first. */
export class EventMemory {
  readonly #logs = new Map<number, KeptEvents>()
  readonly #bytesMax: number
  #bytes = 0
  #serial = 0

  constructor(bytesMax = limits.keptEventsTotalBytesMax) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  nextSerial(): number {
    return ++this.#serial
  }

  keep(serial: number, log: KeptEvents, bytes: number): void {
    this.#logs.set(serial, log)
    this.#bytes += bytes
    for (const [oldest, owner] of this.#logs) {
      if (this.#bytes <= this.#bytesMax) return
      owner.drop(oldest)
    }
  }

  forget(serial: number, bytes: number): void {
    if (this.#logs.delete(serial)) this.#bytes -= bytes
  }
}

interface Kept {
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly bytes: number
}

interface Stream {
  readonly serials: Set<number>
  /** Since when there is nothing more to come. */
  answeredAt?: number
}

/** The stream of a session that belongs to no request; named by the SDK. */
const standalone = '_GET_stream'

/**
 * What one legacy session was sent, for a client that lost the stream and comes back with `Last-Event-ID`. An event's id
 * names its stream, so that the stream is known even when the event is no more.
 */
export class KeptEvents implements EventStore {
  readonly #memory: EventMemory
  readonly #now: () => number
  readonly #events = new Map<number, Kept>()
  readonly #streams = new Map<string, Stream>()
  #bytes = 0

  constructor(memory: EventMemory, now: () => number) {
    this.#memory = memory
    this.#now = now
  }

  /** Whether the rest of that stream can still be had. */
  knows(eventId: string): boolean {
    const found = parseId(eventId)
    return found !== undefined && (found.stream === standalone || this.#streams.has(found.stream))
  }

  /** Whether the stream has ended, and whoever read up to there has read all of it. */
  isOver(eventId: string): boolean {
    const found = parseId(eventId)
    const stream = found && this.#streams.get(found.stream)
    if (found === undefined || stream?.answeredAt === undefined) return false
    return [...stream.serials].every((serial) => serial <= found.serial)
  }

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const serial = this.#memory.nextSerial()
    const known = this.#streamOf(stream)
    // The first event of a stream is empty: there is only its id to come back with.
    if ('jsonrpc' in message) this.#keep(serial, { stream, message, bytes: sizeOf(message) })
    if ('result' in message || 'error' in message) known.answeredAt = this.#now()
    return `${stream}.${serial}`
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const found = parseId(lastEventId)
    if (found === undefined) throw new Error('no event id of ours')
    for (const serial of this.#streams.get(found.stream)?.serials ?? []) {
      const event = this.#events.get(serial)
      if (serial > found.serial && event !== undefined) await send(`${found.stream}.${serial}`, event.message)
    }
    return found.stream
  }

  drop(serial: number): void {
    const event = this.#events.get(serial)
    if (event === undefined) return
    this.#events.delete(serial)
    this.#bytes -= event.bytes
    this.#memory.forget(serial, event.bytes)
    const stream = this.#streams.get(event.stream)
    stream?.serials.delete(serial)
    if (stream?.serials.size === 0 && stream.answeredAt !== undefined) this.#streams.delete(event.stream)
  }

  /** Forgets the answers that nobody came for. */
  sweep(): void {
    const before = this.#now() - limits.keptAnswersMs
    for (const [name, { answeredAt }] of this.#streams) {
      if (answeredAt !== undefined && answeredAt <= before) this.#dropStream(name)
    }
  }

  clear(): void {
    for (const name of this.#streams.keys()) this.#dropStream(name)
  }

  #keep(serial: number, event: Kept): void {
    this.#events.set(serial, event)
    this.#bytes += event.bytes
    this.#streamOf(event.stream).serials.add(serial)
    this.#memory.keep(serial, this, event.bytes)
    for (const oldest of this.#events.keys()) {
      if (this.#bytes <= limits.keptEventsBytesMax && this.#events.size <= limits.keptEventsMax) return
      this.drop(oldest)
    }
  }

  #streamOf(name: string): Stream {
    const known = this.#streams.get(name)
    if (known !== undefined) return known
    const [oldest] = this.#streams.keys()
    if (oldest !== undefined && this.#streams.size >= limits.keptStreamsMax) this.#dropStream(oldest)
    const stream: Stream = { serials: new Set() }
    this.#streams.set(name, stream)
    return stream
  }

  #dropStream(name: string): void {
    for (const serial of this.#streams.get(name)?.serials ?? []) this.drop(serial)
    this.#streams.delete(name)
  }
}

function parseId(eventId: string): { readonly stream: string; readonly serial: number } | undefined {
  const [, stream, serial] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(eventId) ?? []
  return stream === undefined ? undefined : { stream, serial: Number(serial) }
}

/** About as much as it takes in memory; to write it out for that would cost as much as to send it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let bytes = 16
  for (const [key, entry] of Object.entries(value)) bytes += key.length + sizeOf(entry)
  return bytes
}
