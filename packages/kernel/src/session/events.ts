import {
  eventBytesPerOwnerMax,
  eventDataBytesMax,
  eventOwnersMax,
  eventReplyBytesMax,
  eventsKeptMax,
} from '../limits.js'
import { type EventView, ModuleError } from './module-api.js'
import { matches } from './rule.js'

export interface EventQuery {
  /** Of an earlier reply; absent: the newest. */
  readonly cursor?: string | undefined
  /** Patterns; absent: every type. */
  readonly types?: readonly string[] | undefined
  readonly limit: number
}

export interface EventPage {
  readonly events: readonly EventView[]
  /** Of the last event that was looked at: give it to go on. */
  readonly cursor: string
  readonly has_more: boolean
  /** Events after the given cursor are lost: too many came since, or the worker was restarted. */
  readonly gap: boolean
}

interface Kept {
  readonly seq: number
  readonly view: EventView
  readonly bytes: number
}

/**
 * What happens, per owner: a ring in memory. A cursor is the id of this worker's start and a sequence number of the owner,
 * so one of another start is known as such. Owners never see each other, and one cannot push out another's events.
 */
export class Events {
  readonly #bootId: string
  /** The owner heard of last is last. */
  readonly #rings = new Map<string, Ring>()
  readonly #listeners = new Set<(owner: string, event: EventView) => void>()

  constructor(bootId: string) {
    this.#bootId = bootId
  }

  /** `now`: UTC ms. Throws a ModuleError when the data is no JSON or too large. */
  publish(owner: string, type: string, data: unknown, now: number): EventView {
    const text = JSON.stringify(data ?? null)
    if (text === undefined) throw new ModuleError('TypeError', 'The data of an event must be JSON.')
    const bytes = Buffer.byteLength(text)
    if (bytes > eventDataBytesMax) {
      throw new ModuleError(
        'ValueError',
        `The data of an event may have ${eventDataBytesMax} bytes as JSON, not ${bytes}.`,
      )
    }
    const ring = this.#ringOf(owner)
    const seq = ring.next
    const view: EventView = {
      cursor: `${this.#bootId}.${seq}`,
      type,
      data: JSON.parse(text),
      time: new Date(now).toISOString(),
    }
    ring.push({ seq, view, bytes })
    for (const listener of [...this.#listeners]) listener(owner, view)
    return view
  }

  /** Returns what ends it. */
  listen(listener: (owner: string, event: EventView) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Throws a ModuleError (ValueError) for what is no cursor. */
  read(owner: string, { cursor, types, limit }: EventQuery): EventPage {
    const ring = this.#rings.get(owner)
    const asked = (type: string) => !types || types.some((pattern) => matches(pattern, type))
    const { after, gap } = cursor === undefined ? newestOf(ring, asked, limit) : this.#position(ring, cursor)
    const events: EventView[] = []
    let last = after
    let bytes = 0
    for (const kept of ring?.after(after) ?? []) {
      if (asked(kept.view.type)) {
        bytes += kept.bytes
        if (events.length >= limit || (bytes > eventReplyBytesMax && events.length > 0)) {
          return { events, cursor: `${this.#bootId}.${last}`, has_more: true, gap }
        }
        events.push(kept.view)
      }
      last = kept.seq
    }
    return { events, cursor: `${this.#bootId}.${Math.max(last, (ring?.next ?? 1) - 1)}`, has_more: false, gap }
  }

  /** Of what comes next. */
  newest(owner: string): string {
    return `${this.#bootId}.${(this.#rings.get(owner)?.next ?? 1) - 1}`
  }

  /**
   * As `read`, but an empty page waits for the first event that fits, until the signal or the time. Never rejects but for a
   * wrong cursor.
   */
  async wait(owner: string, query: EventQuery, until: AbortSignal): Promise<EventPage> {
    const page = this.read(owner, query)
    if (page.events.length > 0 || until.aborted) return page
    await new Promise<void>((resolve) => {
      const end = () => {
        stop()
        until.removeEventListener('abort', end)
        resolve()
      }
      const stop = this.listen((of, { type }) => {
        if (of !== owner || (query.types && !query.types.some((pattern) => matches(pattern, type)))) return
        end()
      })
      until.addEventListener('abort', end)
    })
    const found = this.read(owner, { ...query, cursor: page.cursor })
    return { ...found, gap: found.gap || page.gap }
  }

  #ringOf(owner: string): Ring {
    const ring = this.#rings.get(owner) ?? new Ring()
    this.#rings.delete(owner)
    this.#rings.set(owner, ring)
    if (this.#rings.size > eventOwnersMax) {
      const quietest = this.#rings.entries().next().value
      // Emptied, not forgotten: its numbers must not begin anew under cursors that are out.
      if (quietest) quietest[1].clear()
    }
    return ring
  }

  #position(ring: Ring | undefined, cursor: string): Position {
    const [, boot, seq] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(cursor) ?? []
    if (boot === undefined) {
      throw new ModuleError(
        'ValueError',
        `${JSON.stringify(cursor.slice(0, 80))} is not a cursor; take one from a reply.`,
      )
    }
    if (boot !== this.#bootId) return { after: 0, gap: true }
    const after = Math.min(Number(seq), (ring?.next ?? 1) - 1)
    return { after, gap: ring !== undefined && after < ring.lost }
  }
}

interface Position {
  readonly after: number
  readonly gap: boolean
}

function newestOf(ring: Ring | undefined, asked: (type: string) => boolean, limit: number): Position {
  const fitting = [...(ring?.after(0) ?? [])].filter(({ view }) => asked(view.type))
  return { after: (fitting.at(-limit) ?? fitting[0] ?? { seq: 1 }).seq - 1, gap: false }
}

/** Ticks keep only the latest: whoever reads later has no use for the others. */
function isTick(type: string): boolean {
  return type === 'tick' || type.endsWith('.tick')
}

/** Beyond it ticks are kept like other events until their kind comes again. */
const tickTypesMax = 256

class Ring {
  next = 1
  /** The newest that was pushed out; a tick that gave way to a later one is not lost. */
  lost = 0
  #kept: Kept[] = []
  /** Events before this index are gone; cut off now and then. */
  #first = 0
  #bytes = 0
  /** Where the latest of each kind of tick is. */
  readonly #ticks = new Map<string, number>()

  push(kept: Kept): void {
    this.next += 1
    if (isTick(kept.view.type)) this.#dropTick(kept.view.type)
    this.#kept.push(kept)
    this.#bytes += kept.bytes
    while (this.#kept.length - this.#first > eventsKeptMax || this.#bytes > eventBytesPerOwnerMax) this.#dropFirst()
    if (this.#first > eventsKeptMax) this.#cut()
  }

  *after(seq: number): Iterable<Kept> {
    let low = this.#first
    let high = this.#kept.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#kept[middle]!.seq <= seq) low = middle + 1
      else high = middle
    }
    for (let index = low; index < this.#kept.length; index += 1) yield this.#kept[index]!
  }

  clear(): void {
    this.lost = this.next - 1
    this.#kept = []
    this.#first = 0
    this.#bytes = 0
    this.#ticks.clear()
  }

  #dropTick(type: string): void {
    const seq = this.#ticks.get(type)
    this.#ticks.set(type, this.next - 1)
    if (this.#ticks.size > tickTypesMax) this.#ticks.clear()
    if (seq === undefined) return
    const index = this.#kept.findLastIndex((kept) => kept.seq === seq)
    if (index < this.#first) return
    this.#bytes -= this.#kept[index]!.bytes
    this.#kept.splice(index, 1)
  }

  #dropFirst(): void {
    const kept = this.#kept[this.#first]!
    this.#bytes -= kept.bytes
    this.lost = kept.seq
    this.#first += 1
  }

  #cut(): void {
    this.#kept = this.#kept.slice(this.#first)
    this.#first = 0
  }
}
