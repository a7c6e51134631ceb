import type { CallOutcome } from '@callboard/hub'
import type { Message } from '@callboard/protocol'
import type { Canary } from './plan.js'

/** What happened, as far as a check or a reader of a failure needs it. */
export type HistoryRecord = { readonly at: number } & HistoryEvent

export type HistoryEvent =
  /** An agent's call, or the next turn of one. */
  | {
      readonly kind: 'called' | 'resumed'
      readonly ref: number
      readonly canary: Canary
      readonly connection: number
      readonly name: string
    }
  | { readonly kind: 'cancelled'; readonly ref: number }
  | { readonly kind: 'settled'; readonly ref: number; readonly outcome: CallOutcome }
  /** Whatever the hub had open is answered by nobody. */
  | { readonly kind: 'hub_lost' | 'hub_started'; readonly epoch: string }
  | {
      readonly kind: 'started'
      readonly run: string
      readonly id: string
      readonly instance: string
      readonly canary: Canary
    }
  | { readonly kind: 'aborted'; readonly run: string; readonly cause: string }
  | { readonly kind: 'ended'; readonly run: string; readonly content: Content }
  | { readonly kind: 'nested_called'; readonly id: string; readonly run: string; readonly canary: Canary }
  | {
      readonly kind: 'nested_settled'
      readonly id: string
      readonly outcome: 'result' | 'error' | 'failure'
      readonly content: Content | undefined
      readonly failure: { readonly code: string; readonly message: string } | undefined
    }
  | { readonly kind: 'process_lost'; readonly instance: string }
  | { readonly kind: 'frame'; readonly from: 'hub' | 'worker'; readonly peer: string; readonly message: Message }
  | { readonly kind: 'note'; readonly text: string }

/** What a handler answers. */
export interface Content {
  readonly canary: Canary
  readonly run: string
  readonly aborted?: string
}

/** Sees each record as it comes; throws {@link Violation} at the first that must not be. */
export interface Checker {
  see(record: HistoryRecord): void
}

export class Violation extends Error {
  override readonly name = 'Violation'
}

/** Everything that happened in one run, in order. */
export class History {
  readonly #records: HistoryRecord[] = []
  readonly #checkers: readonly Checker[]
  readonly #now: () => number
  readonly #onLine: ((line: string) => void) | undefined

  constructor(now: () => number, checkers: readonly Checker[], onLine?: (line: string) => void) {
    this.#now = now
    this.#checkers = checkers
    this.#onLine = onLine
  }

  add(event: HistoryEvent): void {
    const record: HistoryRecord = { at: this.#now(), ...event }
    this.#records.push(record)
    this.#onLine?.(describe(record))
    for (const checker of this.#checkers) checker.see(record)
  }

  note(text: string): void {
    this.add({ kind: 'note', text })
  }

  get records(): readonly HistoryRecord[] {
    return this.#records
  }

  lastLines(count: number): string[] {
    const isBeat = (record: HistoryRecord) => record.kind === 'frame' && record.message.type.startsWith('heartbeat')
    return this.#records
      .slice(-count * 4)
      .filter((record) => !isBeat(record))
      .slice(-count)
      .map(describe)
  }
}

export function describe(record: HistoryRecord): string {
  return `${String(record.at).padStart(8)} ${record.kind.padEnd(14)} ${detail(record)}`
}

function detail(record: HistoryRecord): string {
  switch (record.kind) {
    case 'called':
    case 'resumed':
      return `ref ${record.ref} ${record.canary.call} ${record.name} on connection ${record.connection}`
    case 'cancelled':
      return `ref ${record.ref}`
    case 'settled':
      return `ref ${record.ref} ${describeOutcome(record.outcome)}`
    case 'hub_lost':
    case 'hub_started':
      return record.epoch
    case 'started':
      return `${record.canary.call} as ${record.run}, call ${record.id}, on ${record.instance}`
    case 'aborted':
      return `${record.run} ${record.cause}`
    case 'ended':
      return `${record.run} of ${record.content.canary.call}`
    case 'nested_called':
      return `${record.id} by ${record.run}: ${record.canary.call}`
    case 'nested_settled':
      return `${record.id} ${record.failure?.code ?? record.outcome}`
    case 'process_lost':
      return record.instance
    case 'frame':
      return `${record.from === 'hub' ? '->' : '<-'} ${record.peer} ${describeMessage(record.message)}`
    case 'note':
      return record.text
    default:
      return record satisfies never
  }
}

function describeOutcome(outcome: CallOutcome): string {
  switch (outcome.kind) {
    case 'failure':
      return `failure ${outcome.failure.code}: ${outcome.failure.message}`
    case 'input_required':
      return `input_required ${outcome.id}`
    default:
      return outcome.kind
  }
}

function describeMessage(message: Message): string {
  const { type, ...rest } = message
  const shown = Object.entries(rest).flatMap(([key, value]) => {
    if (key === 'body' || key === 'caller' || key === 'client' || key === 'nonce' || key === 'proof') return []
    return [`${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`]
  })
  return [type, ...shown].join(' ')
}
