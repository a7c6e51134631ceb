import type { CallOutcome } from '@callboard/hub'
import { type Checker, type Content, type HistoryRecord, Violation } from './history.js'
import type { Canary } from './plan.js'

/** What the history checker may not hold against a run. */
export interface CheckOptions {
  /**
   * The link repeats messages, which ZeroMQ never does: a worker may then start one REQUEST twice, and the hub take a
   * RESPONSE for the one to a later REQUEST of the same call, both rightly by what they can know. [CB-34] [CB-37]
   */
  readonly framesRepeat: boolean
  /** How long after its CANCEL was sent a call may begin: the link's time, and a short stop. Undefined: no matter. [CB-72] */
  readonly staleAfterMs: number | undefined
}

interface Turn {
  readonly canary: Canary
  isOpen: boolean
}

/** Codes that say: the call had no effect, and won't. */
const neverRan: ReadonlySet<string> = new Set([
  'unavailable',
  'overloaded',
  'rate_limited',
  'deadlock',
  'depth_exceeded',
  'not_found',
  'forbidden',
  'request_too_large',
])

/** Holds a history to what the protocol promises to agents and to handlers, record by record. */
export class HistoryChecker implements Checker {
  readonly #options: CheckOptions
  readonly #turns = new Map<number, Turn>()
  readonly #nested = new Map<string, { readonly canary: Canary; readonly run: string }>()
  readonly #runs = new Map<string, { readonly canary: Canary; readonly instance: string; content?: Content }>()
  readonly #startedIds = new Map<string, string>()
  readonly #startedCalls = new Map<string, string>()
  readonly #deniedCalls = new Map<string, string>()
  readonly #cancelledAt = new Map<string, number>()

  constructor(options: CheckOptions) {
    this.#options = options
  }

  see(record: HistoryRecord): void {
    switch (record.kind) {
      case 'called':
      case 'resumed':
        this.#turns.set(record.ref, { canary: record.canary, isOpen: true })
        return
      case 'settled':
        return this.#settled(record.ref, record.outcome)
      case 'hub_lost':
        for (const turn of this.#turns.values()) turn.isOpen = false
        return
      case 'started':
        return this.#started(record)
      case 'ended': {
        const run = this.#runs.get(record.run)
        if (run !== undefined) run.content = record.content
        return
      }
      case 'frame':
        return this.#sent(record)
      case 'nested_called':
        this.#nested.set(record.id, record)
        return
      case 'nested_settled':
        return this.#nestedSettled(record)
      case 'process_lost':
        for (const [id, { run }] of this.#nested) {
          if (this.#runs.get(run)?.instance === record.instance) this.#nested.delete(id)
        }
        return
      default:
        return
    }
  }

  /** At the end: everything that was asked was answered. */
  finish(): void {
    for (const [ref, { isOpen, canary }] of this.#turns) {
      if (isOpen) throw new Violation(`ref ${ref} (${canary.call}) was never settled`)
    }
    for (const [id, { canary }] of this.#nested) {
      throw new Violation(`the nested call ${id} (${canary.call}) was never settled at its worker`)
    }
  }

  #settled(ref: number, outcome: CallOutcome): void {
    const turn = this.#turns.get(ref)
    if (turn === undefined) throw new Violation(`ref ${ref} was settled, but never called`)
    if (!turn.isOpen) throw new Violation(`ref ${ref} (${turn.canary.call}) was settled twice`)
    turn.isOpen = false
    switch (outcome.kind) {
      case 'result':
      case 'error':
        return this.#answered(turn.canary, contentOf(outcome.body))
      case 'failure':
        return this.#failed(turn.canary, outcome.failure)
      case 'unknown':
        return this.#denied(turn.canary, 'unknown')
      case 'input_required':
        return this.#asked(turn.canary, outcome.body)
      default:
        outcome satisfies never
    }
  }

  #nestedSettled(record: Extract<HistoryRecord, { kind: 'nested_settled' }>): void {
    const nested = this.#nested.get(record.id)
    if (nested === undefined) throw new Violation(`the nested call ${record.id} was settled twice, or was never made`)
    this.#nested.delete(record.id)
    if (record.failure !== undefined) return this.#failed(nested.canary, record.failure)
    this.#answered(nested.canary, record.content)
  }

  /** An answer is what a handler of this very call made, and none that was told to stop for another's sake. */
  #answered(canary: Canary, content: Content | undefined): void {
    if (content?.canary?.call !== canary.call) {
      throw new Violation(`${canary.call} was answered with what belongs to ${content?.canary?.call ?? 'nobody'}`)
    }
    const run = this.#runs.get(content.run)
    if (run?.content === undefined) throw new Violation(`${canary.call} was answered before ${content.run} had ended`)
    if (this.#options.framesRepeat) return
    if (content.aborted === 'link_lost' || content.aborted === 'unknown_call') {
      throw new Violation(`${canary.call} was answered by ${content.run}, a lost attempt (${content.aborted})`)
    }
  }

  #failed(canary: Canary, failure: { readonly code: string; readonly message: string }): void {
    if (neverRan.has(failure.code) || /\bnot started\b/.test(failure.message)) this.#denied(canary, failure.code)
  }

  #denied(canary: Canary, code: string): void {
    if (canary.retriable) return
    const run = this.#startedCalls.get(canary.call)
    if (run !== undefined) throw new Violation(`${canary.call} was said not to have run (${code}), but ${run} did`)
    this.#deniedCalls.set(canary.call, code)
  }

  #asked(canary: Canary, body: Uint8Array): void {
    const question = (parse(body) as { inputRequests?: { q?: { params?: { canary?: Canary } } } } | undefined)
      ?.inputRequests?.q?.params?.canary
    if (question?.root !== canary.root) {
      throw new Violation(`${canary.call} was asked a question of ${question?.call ?? 'nobody'}`)
    }
  }

  #sent({ at, message }: Extract<HistoryRecord, { kind: 'frame' }>): void {
    const isForGood =
      message.type === 'cancel' && message.reason !== 'input_abandoned' && message.reason !== 'unknown_call'
    if (isForGood && !this.#cancelledAt.has(message.id)) this.#cancelledAt.set(message.id, at)
  }

  #started({ at, run, id, instance, canary }: Extract<HistoryRecord, { kind: 'started' }>): void {
    const staleMs = at - (this.#cancelledAt.get(id) ?? at)
    if (staleMs > (this.#options.staleAfterMs ?? Number.POSITIVE_INFINITY)) {
      throw new Violation(`${canary.call} begins on ${instance} ${staleMs} ms after it was cancelled`)
    }
    this.#runs.set(run, { canary, instance })
    if (canary.retriable) return
    const denied = this.#deniedCalls.get(canary.call)
    if (denied !== undefined) throw new Violation(`${canary.call} runs after its agent was told ${denied}`)
    if (!this.#options.framesRepeat) {
      const former = this.#startedIds.get(id) ?? this.#startedCalls.get(canary.call)
      if (former !== undefined) throw new Violation(`${canary.call} (call ${id}) ran twice: as ${former} and as ${run}`)
    }
    this.#startedIds.set(id, run)
    this.#startedCalls.set(canary.call, run)
  }
}

/** For a history that was kept. */
export function checkHistory(records: readonly HistoryRecord[], options: CheckOptions): void {
  const checker = new HistoryChecker(options)
  for (const record of records) checker.see(record)
  checker.finish()
}

/** A result carries it as it is, a JSON-RPC error under `data`. */
export function contentOf(body: Uint8Array): Content | undefined {
  const value = parse(body) as { canary?: Canary; data?: Content } | undefined
  return (value?.canary === undefined ? value?.data : value) as Content | undefined
}

export function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
}
