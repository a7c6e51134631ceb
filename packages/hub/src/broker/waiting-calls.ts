import type { Call } from './calls.js'
import { FairQueue, type Lane } from './fair-queue.js'
import {
  graceMs,
  queuedBytesMax,
  queuedBytesPerPrincipalMax,
  queuedPerPrincipalMax,
  queuedPerServiceMax,
  queuedPerSessionMax,
  queueShareMax,
  shedRetryMs,
  shedRetryMsMax,
  shedRetryMsMin,
} from './limits.js'
import type { PerService } from './per-service.js'
import type { ShedReason } from './service-statistics.js'
import type { BrokerState } from './state.js'
import { Throughput } from './throughput.js'

export type Refusal = Exclude<ShedReason, 'expired'>

interface ServiceQueue {
  readonly calls: FairQueue<Call>
  readonly throughput: Throughput
}

/** The calls that wait for a worker, by service: bounded in number, bytes and time. */
export class WaitingCalls {
  readonly #state: BrokerState
  readonly #queues: PerService<ServiceQueue>
  #count = 0
  #bytes = 0
  readonly #bytesOf = new Map<string, number>()

  constructor(state: BrokerState) {
    this.#state = state
    const create = () => ({ calls: new FairQueue<Call>(), throughput: new Throughput() })
    this.#queues = state.perService(create, ({ calls }) => calls.size > 0)
  }

  get count(): number {
    return this.#count
  }

  has(service: string): boolean {
    return (this.#queues.find(service)?.calls.size ?? 0) > 0
  }

  of(service: string): Iterable<Call> {
    return this.#queues.find(service)?.calls ?? []
  }

  load(service: string): { readonly queued: number; readonly oldestQueuedMs: number } {
    const { now } = this.#state
    let queued = 0
    let oldest = now
    for (const call of this.of(service)) {
      queued++
      oldest = Math.min(oldest, call.startedAt)
    }
    return { queued, oldestQueuedMs: now - oldest }
  }

  /** Why a call may not wait; undefined: it may. Better a no at once than an answer that comes too late. */
  refusalOf(call: Call): Refusal | undefined {
    const { calls, throughput } = this.#queues.of(call.definition.service)
    const lane = laneOf(call)
    if (calls.size >= queuedPerServiceMax) return 'queue_full'
    if (calls.laneSize(lane) >= queuedPerSessionMax) return 'share_used'
    if (calls.principalSize(lane.principal) >= queuedPerPrincipalMax) return 'share_used'
    if (!this.#hasMemory(call)) return 'memory_full'
    const waitMs = throughput.msFor(calls.ahead(lane), this.#state.now) ?? 0
    return waitMs > this.#patienceMs(call) ? 'too_slow' : undefined
  }

  /** The call that has to give way where the queue is full and this one's share of it is the smaller. */
  excessOver(call: Call): Call | undefined {
    const { calls } = this.#queues.of(call.definition.service)
    const lane = laneOf(call)
    const excess = calls.laneSize(lane) >= queuedPerSessionMax ? undefined : calls.excessOver(lane)
    // Small calls must not give way to large ones until there is no memory left.
    return excess !== undefined && this.#hasMemory(call, excess) ? excess : undefined
  }

  add(call: Call): void {
    this.#queues.of(call.definition.service).calls.push(laneOf(call), call)
    this.#entered(call)
  }

  /** For one that had its turn. */
  addFirst(call: Call): void {
    this.#queues.of(call.definition.service).calls.pushFirst(laneOf(call), call)
    this.#entered(call)
  }

  /** It ends, if nobody who could take it is up when the grace is over. */
  startGrace(call: Call): void {
    if (!this.#state.timers.has('grace', call.id)) this.#state.schedule('grace', call.id, graceMs)
  }

  take(service: string, accept: (call: Call) => boolean): Call | undefined {
    const call = this.#queues.find(service)?.calls.take(accept)
    if (call !== undefined) this.#left(call)
    return call
  }

  remove(call: Call): void {
    if (this.#queues.find(call.definition.service)?.calls.remove(laneOf(call), call) === true) this.#left(call)
  }

  /** A call of the service has ended at its worker. */
  ended(service: string): void {
    const queue = this.#queues.find(service)
    queue?.throughput.ended(queue.calls.size > 0, this.#state.now)
  }

  retryAfterMs(service: string): number {
    const queue = this.#queues.find(service)
    const waitMs = queue?.throughput.msFor(queue.calls.size, this.#state.now)
    if (waitMs === undefined) return shedRetryMs
    return Math.round(Math.min(Math.max(waitMs, shedRetryMsMin), shedRetryMsMax))
  }

  /** For the call, and for its principal; `leaving`: it would have the place of this one. */
  #hasMemory(call: Call, leaving?: Call): boolean {
    const freed = leaving?.body.byteLength ?? 0
    const freedOfOwn = leaving !== undefined && principalOf(leaving) === principalOf(call) ? freed : 0
    const ofOwn = this.#bytesOf.get(principalOf(call)) ?? 0
    const added = call.body.byteLength
    return this.#bytes - freed + added <= queuedBytesMax && ofOwn - freedOfOwn + added <= queuedBytesPerPrincipalMax
  }

  #addBytes(call: Call, bytes: number): void {
    this.#bytes += bytes
    const principal = principalOf(call)
    const ofOwn = (this.#bytesOf.get(principal) ?? 0) + bytes
    if (ofOwn > 0) this.#bytesOf.set(principal, ofOwn)
    else this.#bytesOf.delete(principal)
  }

  #entered(call: Call): void {
    call.state = { kind: 'queued' }
    this.#count++
    this.#addBytes(call, call.body.byteLength)
    this.#state.schedule('queue_expired', call.id, this.#patienceMs(call))
  }

  #left(call: Call): void {
    this.#count--
    this.#addBytes(call, -call.body.byteLength)
    this.#state.unschedule('queue_expired', call.id)
    this.#state.unschedule('grace', call.id)
  }

  #patienceMs(call: Call): number {
    return Math.max(0, (call.deadline - this.#state.now) * queueShareMax)
  }
}

/** Depths have credits of their own, so a call at one depth must not wait behind one at another. */
const laneOf = (call: Call): Lane => ({
  principal: principalOf(call),
  lane: `${call.caller.depth} ${call.caller.session}`,
})

/** Whom it is for, whoever passes it on. */
const principalOf = ({ caller: { principal, onBehalfOf } }: Call): string => onBehalfOf ?? principal
