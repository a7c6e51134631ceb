import { randomBytes } from 'node:crypto'
import type { EventStore, JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { isRequestId } from '../mcp/json-rpc.js'
import * as limits from './limits.js'

/** What all logs hold together, oldest first. */
export class EventMemory {
  /** In the ids of all its events, whose serials begin anew in every life of the hub. */
  readonly life = randomBytes(6).toString('base64url')
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

/** What a stream was of which a former life of the hub had sent an event. */
export type FormerStream =
  | { readonly kind: 'session' }
  /** `eventId`: says of the same stream that nothing of it is due. */
  | { readonly kind: 'requests'; readonly unanswered: readonly RequestId[]; readonly eventId: string }

/** The stream of a session that belongs to no request; named by the SDK. */
const standalone = '_GET_stream'

/**
 * What one legacy session was sent, for a client that lost the stream and comes back with `Last-Event-ID`. An event's id
 * names its stream, so that the stream is known even when the event is no more; and the requests that wait for an answer on it, so
 * that the next hub can tell the client that none will come.
 */
export class KeptEvents implements EventStore {
  readonly #memory: EventMemory
  readonly #now: () => number
  readonly #requestsOn: (stream: string) => readonly RequestId[]
  readonly #events = new Map<number, Kept>()
  readonly #streams = new Map<string, Stream>()
  #bytes = 0

  /** `requestsOn`: what is still to be answered on a stream. */
  constructor(memory: EventMemory, now: () => number, requestsOn: (stream: string) => readonly RequestId[] = () => []) {
    this.#memory = memory
    this.#now = now
    this.#requestsOn = requestsOn
  }

  /** Whether the rest of that stream can still be had. */
  knows(eventId: string): boolean {
    const found = this.#parse(eventId)
    return found !== undefined && (found.stream === standalone || this.#streams.has(found.stream))
  }

  /** Whether the stream has ended, and whoever read up to there has read all of it. */
  isOver(eventId: string): boolean {
    const found = this.#parse(eventId)
    const stream = found && this.#streams.get(found.stream)
    if (found === undefined || stream?.answeredAt === undefined) return false
    return [...stream.serials].every((serial) => serial <= found.serial)
  }

  /** Undefined: the event is of this life, or of none. */
  formerOf(eventId: string): FormerStream | undefined {
    const found = parseId(eventId)
    if (found === undefined || found.life === this.#memory.life) return undefined
    if (found.stream === standalone) return { kind: 'session' }
    const { stream, life, serial, unanswered } = found
    return { kind: 'requests', unanswered, eventId: [stream, life, serial].join('.') }
  }

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const serial = this.#memory.nextSerial()
    const known = this.#streamOf(stream)
    // The first event of a stream is empty: there is only its id to come back with.
    if ('jsonrpc' in message) this.#keep(serial, { stream, message, bytes: sizeOf(message) })
    if ('result' in message || 'error' in message) known.answeredAt = this.#now()
    return this.#idOf(stream, serial, this.#requestsOn(stream))
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const found = this.#parse(lastEventId)
    if (found === undefined) throw new Error('no event id of ours')
    const waiting = this.#requestsOn(found.stream)
    for (const serial of this.#streams.get(found.stream)?.serials ?? []) {
      const event = this.#events.get(serial)
      if (serial > found.serial && event !== undefined)
        await send(this.#idOf(found.stream, serial, waiting), event.message)
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

  #idOf(stream: string, serial: number, unanswered: readonly RequestId[]): string {
    const id = `${stream}.${this.#memory.life}.${serial}`
    const waiting = unanswered.length === 0 ? '' : Buffer.from(JSON.stringify(unanswered)).toString('base64url')
    return waiting === '' || waiting.length > limits.openRequestsLengthMax ? id : `${id}.${waiting}`
  }

  /** Of this life. */
  #parse(eventId: string): EventId | undefined {
    const found = parseId(eventId)
    return found?.life === this.#memory.life ? found : undefined
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

interface EventId {
  readonly stream: string
  readonly life: string
  readonly serial: number
  readonly unanswered: readonly RequestId[]
}

function parseId(eventId: string): EventId | undefined {
  if (eventId.length > limits.eventIdLengthMax) return undefined
  const [, stream, life, serial, waiting] = /^([\w-]{1,64})\.([\w-]{8})\.(\d{1,15})(?:\.([\w-]+))?$/.exec(eventId) ?? []
  if (stream === undefined || life === undefined) return undefined
  const unanswered = waiting === undefined ? [] : requestsIn(waiting)
  return unanswered && { stream, life, serial: Number(serial), unanswered }
}

/** The client may have written it itself: what comes of that goes to nobody else. */
function requestsIn(waiting: string): RequestId[] | undefined {
  try {
    const ids: unknown = JSON.parse(Buffer.from(waiting, 'base64url').toString('utf8'))
    return Array.isArray(ids) && ids.every(isRequestId) ? ids : undefined
  } catch {
    return undefined
  }
}

/** About as much as it takes in memory; to write it out for that would cost as much as to send it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let bytes = 16
  for (const [key, entry] of Object.entries(value)) bytes += key.length + sizeOf(entry)
  return bytes
}
