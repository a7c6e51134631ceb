import { randomUUID } from 'node:crypto'
import { recordAction } from '../activity/record-action.js'
import { SocialFailure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import {
  loopErrorsMax,
  loopJitterMsMax,
  loopJitterShare,
  loopLeaseMs,
  loopLookMs,
  loopLookMsMin,
  loopPauseMs,
  loopRenewMs,
  loopRetryMs,
  loopRetryMsMax,
  loopTurnMsMax,
} from '../limits.js'
import { isActive } from './active-hours.js'
import type { Loop } from './loop.js'
import { claim, isDue, type LoopRow, loopRow, release, renew } from './loop-row.js'

type Outcome =
  | { readonly kind: 'done' }
  /** Cut short by the end of this process, or by whoever took the lease. */
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Runs a loop's turn under its lease, and keeps the books of when the next one is due. */
export class LoopTurns {
  readonly #foundation: Foundation

  constructor(foundation: Foundation) {
    this.#foundation = foundation
  }

  /**
   * Runs a turn if one is due (or wanted now) and no replica runs one. Resolves with the time to look again, and whether the
   * wish for a turn now is met. Rejects when the database does.
   */
  async take(
    loop: Loop,
    closing: AbortSignal,
    isWanted = false,
  ): Promise<{ readonly lookAt: number; readonly isMet: boolean }> {
    const { clock, config, store } = this.#foundation
    const now = clock.now()
    if (loop.keepsHours && !isActive(config.schedule, now)) return { lookAt: now + loopLookMs, isMet: true }
    const row = await loopRow(store.db, loop, now)
    if (!isWanted && !isDue(row, loop, now)) return { lookAt: row.due_at!, isMet: true }
    const token = randomUUID()
    if (!(await claim(store.db, row, token, now))) return { lookAt: lookAtOthers(row, loop, now), isMet: false }
    const outcome = await this.#run(loop, token, closing)
    return { lookAt: await this.#end(loop, token, row, now, outcome), isMet: true }
  }

  async #run(loop: Loop, token: string, closing: AbortSignal): Promise<Outcome> {
    const lost = new AbortController()
    const late = new AbortController()
    const ended = new AbortController()
    const watch = Promise.all([this.#keep(loop, token, lost, ended.signal), this.#watchTime(late, ended.signal)])
    try {
      await loop.turn(AbortSignal.any([closing, lost.signal, late.signal]))
      return { kind: 'done' }
    } catch (error) {
      if (late.signal.aborted) return { kind: 'failed', error: late.signal.reason }
      return closing.aborted || lost.signal.aborted ? { kind: 'aborted' } : { kind: 'failed', error }
    } finally {
      ended.abort()
      await watch
    }
  }

  /** A database that does not answer takes the lease no sooner than its end: until then nobody else can have it. */
  async #keep(loop: Loop, token: string, lost: AbortController, ended: AbortSignal): Promise<void> {
    const { clock, store, log } = this.#foundation
    let until = clock.now() + loopLeaseMs
    while (!ended.aborted && !lost.signal.aborted) {
      await clock.sleepUntil(clock.now() + loopRenewMs, ended)
      if (ended.aborted) return
      const now = clock.now()
      try {
        if (await renew(store.db, loop, token, now)) until = now + loopLeaseMs
        else lost.abort(new Error(`the loop ${loop.name} is run by somebody else now`))
      } catch (error) {
        log.warn({ loop: loop.name, network: loop.network, error: (error as Error).message }, 'lease not renewed')
        if (clock.now() >= until) lost.abort(new Error(`the lease of the loop ${loop.name} ran out`))
      }
    }
  }

  async #watchTime(late: AbortController, ended: AbortSignal): Promise<void> {
    const { clock } = this.#foundation
    await clock.sleepUntil(clock.now() + loopTurnMsMax, ended)
    if (!ended.aborted) late.abort(new Error(`the turn took more than ${loopTurnMsMax / 60_000} min`))
  }

  /** Stores how it went; the time of the next turn. */
  async #end(loop: Loop, token: string, row: LoopRow, begun: number, outcome: Outcome): Promise<number> {
    const { store, clock, log } = this.#foundation
    const now = clock.now()
    const { dueAt, failures, isPaused } = this.#next(loop, row, begun, now, outcome)
    await store.transaction(async (tx) => {
      const end = { due_at: dueAt, failures, updated_at: now }
      const isOurs = await release(tx, loop, token, end)
      if (isOurs && isPaused && outcome.kind === 'failed') await recordAction(tx, alertOf(loop, outcome.error, now))
    })
    const about = { loop: loop.name, network: loop.network }
    if (outcome.kind === 'failed') log.warn({ ...about, ...inLog(outcome.error), failures }, 'turn failed')
    if (outcome.kind === 'done' && row.failures > 0) log.info(about, 'works again')
    return dueAt ?? now
  }

  #next(loop: Loop, row: LoopRow, begun: number, now: number, outcome: Outcome) {
    switch (outcome.kind) {
      case 'done':
        return { dueAt: Math.max(now, begun + loop.everyMs + this.#jitterMs(loop)), failures: 0, isPaused: false }
      case 'aborted':
        return { dueAt: row.due_at, failures: row.failures, isPaused: false }
      case 'failed': {
        const failures = row.failures + 1
        const retryMs = Math.max(retryMsOf(loop, failures), askedFor(outcome.error))
        if (failures < loopErrorsMax) return { dueAt: now + retryMs, failures, isPaused: false }
        return { dueAt: now + Math.max(retryMs, loopPauseMs), failures: 0, isPaused: true }
      }
    }
  }

  #jitterMs({ everyMs }: Loop): number {
    return Math.floor(this.#foundation.random() * Math.min(everyMs * loopJitterShare, loopJitterMsMax))
  }
}

/** Who holds the lease may end any time, and may die. */
function lookAtOthers(row: LoopRow, { everyMs }: Loop, now: number): number {
  const ends = row.lease_until ?? now
  return Math.max(now + loopLookMsMin, Math.min(now + everyMs, ends))
}

function retryMsOf({ everyMs }: Loop, failures: number): number {
  return Math.min(everyMs, loopRetryMs * 2 ** (failures - 1), loopRetryMsMax)
}

/** What the other side wants us to wait, within reason. */
function askedFor(error: unknown): number {
  const ms = error instanceof SocialFailure ? (error.options.retryAfterMs ?? 0) : 0
  return Math.min(Math.max(0, ms), loopRetryMsMax)
}

/** A network that is away is no fault of ours: where we noticed it helps nobody. */
function inLog(error: unknown) {
  return error instanceof SocialFailure ? { code: error.code, reason: error.message } : { err: error }
}

function alertOf(loop: Loop, error: unknown, at: number) {
  const isKnown = error instanceof SocialFailure
  const why = isKnown ? error.message : 'it failed for a reason of its own, which the log of the social worker tells'
  const where = loop.network === '' ? '' : ` on ${loop.network}`
  return {
    at,
    type: loop.logType ?? 'analytics',
    status: 'alert',
    message: `The loop ${loop.name}${where} rests for ${loopPauseMs / 1000} s after ${loopErrorsMax} errors in a row: ${why}`,
    metadata: { loop: loop.name, network: loop.network, ...(isKnown && { code: error.code }) },
  } as const
}
