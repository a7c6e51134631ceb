import { CallFailure } from '@callboard/worker'
import { dueTasksPerClaim, hubRetryMs, pollMs, stopGraceMs, storeRetryMs } from '../limits.js'
import type { Database } from '../records/schema.js'
import { Attempt } from './attempt.js'
import { claimRun, nextOf, waitingGroups } from './claim-run.js'
import { closeRuns } from './close-runs.js'
import { nextLeaseEnd, nextRetry, nextWork } from './due-times.js'
import type { EngineParts } from './engine-parts.js'
import { fireDueTasks } from './fire-tasks.js'
import { endRunsOfRemoved } from './group-gone.js'
import { queueRun } from './queue-run.js'
import { redrive } from './redrive.js'
import { identityOf, tokenMsOf } from './run-request.js'
import type { RunRow } from './run-row.js'
import type { ClosedRuns, CloseReason, NewRun, Scheduling } from './scheduling.js'
import { takeOverExpired } from './take-over.js'

/**
 * Makes runs of what is due and works them off, together with whatever other processes share the database. All that must
 * survive is in the database; this object knows only which attempts are its own.
 */
export class Engine implements Scheduling {
  readonly #parts: EngineParts
  readonly #attempts = new Map<string, { readonly attempt: Attempt; readonly done: Promise<void> }>()
  /** When each group had its last turn here, as a running number. */
  readonly #turns = new Map<string, number>()
  #turn = 0
  #isOpen = true
  #isHubReady = false
  /** UTC ms before which the hub is not asked for a token again. */
  #hubRetryAt = 0
  #nextDue: number | undefined
  #isAwake = false
  #sleep = new AbortController()
  #loop: Promise<void> | undefined

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  get running(): number {
    return this.#attempts.size
  }

  get holdUntil(): number | undefined {
    const ends = [...this.#attempts.values()].map(({ attempt }) => attempt.endsBy)
    const times = this.#nextDue === undefined ? ends : [...ends, this.#nextDue]
    return times.length === 0 ? undefined : Math.max(...times)
  }

  start(): void {
    this.#loop ??= this.#work()
  }

  /** Without a hub nothing is started: a run could call no tool. What runs goes on. */
  hubChanged(isReady: boolean): void {
    this.#isHubReady = isReady
    this.#hubRetryAt = 0
    if (isReady) for (const { attempt } of this.#attempts.values()) void attempt.restoreToken()
    this.wake()
  }

  wake(): void {
    this.#isAwake = true
    this.#sleep.abort()
  }

  queueRun(db: Database, run: NewRun): Promise<string> {
    return queueRun(db, this.#parts, run)
  }

  closeRuns(db: Database, taskId: string, why: CloseReason): Promise<ClosedRuns> {
    return closeRuns(db, this.#parts, taskId, why)
  }

  redrive(db: Database, runId: string): Promise<'queued' | undefined> {
    return redrive(db, this.#parts, runId)
  }

  /** One round of everything. Returns when the next one is due, UTC ms; undefined: when somebody wakes it. */
  async tick(): Promise<number | undefined> {
    await this.#stopLost()
    await takeOverExpired(this.#parts)
    await this.#queueRetries()
    await this.#fireTasks()
    await this.#startRuns()
    return this.#nextDeadline()
  }

  /** Starts nothing more; what runs has a moment to finish, then it is stopped and left to be tried again. */
  async close(): Promise<void> {
    this.#isOpen = false
    this.wake()
    await this.#loop
    const over = new AbortController()
    const ended = this.settled().then(() => over.abort())
    await this.#parts.clock.sleepUntil(this.#parts.clock.now() + stopGraceMs, over.signal)
    for (const { attempt } of this.#attempts.values()) attempt.stop('stopping')
    await ended
  }

  /** Resolves when no attempt runs here any more. */
  async settled(): Promise<void> {
    while (this.#attempts.size > 0) await Promise.all([...this.#attempts.values()].map(({ done }) => done))
  }

  async #work(): Promise<void> {
    while (this.#isOpen) {
      this.#isAwake = false
      this.#sleep = new AbortController()
      const next = await this.#tickSafely()
      if (this.#isAwake || !this.#isOpen) continue
      await this.#parts.clock.sleepUntil(next ?? Number.POSITIVE_INFINITY, this.#sleep.signal)
    }
  }

  async #tickSafely(): Promise<number | undefined> {
    try {
      return await this.tick()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the schedule could not be worked on; trying again')
      return this.#parts.clock.now() + storeRetryMs
    }
  }

  /** Runs that were cancelled, or taken over, have another fence than ours. */
  async #stopLost(): Promise<void> {
    if (this.#attempts.size === 0) return
    const rows = await this.#parts.store.db
      .selectFrom('runs')
      .select(['id', 'fence', 'outcome'])
      .where('id', 'in', [...this.#attempts.keys()])
      .execute()
    for (const { id, fence, outcome } of rows) {
      const own = this.#attempts.get(id)
      if (own !== undefined && own.attempt.fence !== fence) {
        own.attempt.stop(outcome === 'cancelled' ? 'cancelled' : 'fenced')
      }
    }
  }

  async #queueRetries(): Promise<void> {
    const { store, clock } = this.#parts
    const next = await nextRetry(store.db).executeTakeFirst()
    if (next?.at == null || next.at > clock.now()) return
    await store.db
      .updateTable('runs')
      .set({ state: 'queued' })
      .where('state', '=', 'waiting')
      .where('retry_at', '<=', clock.now())
      .execute()
  }

  async #fireTasks(): Promise<void> {
    let fired = dueTasksPerClaim
    while (this.#isOpen && fired === dueTasksPerClaim) {
      fired = await fireDueTasks(this.#parts)
      if (fired > 0) this.#parts.wakeMail()
    }
  }

  /** One run of each group in turn, the group first whose last turn is longest ago, until nothing more may start. */
  async #startRuns(): Promise<void> {
    let hasProgress = true
    while (hasProgress && this.#hasRoom) {
      hasProgress = false
      for (const group of await this.#groupsInTurn()) {
        if (!this.#hasRoom) return
        hasProgress = (await this.#startOne(group)) || hasProgress
      }
    }
  }

  get #hasRoom(): boolean {
    const { config, clock } = this.#parts
    return (
      this.#isOpen &&
      this.#isHubReady &&
      clock.now() >= this.#hubRetryAt &&
      this.#attempts.size < config.max_concurrent_runs
    )
  }

  async #groupsInTurn(): Promise<readonly string[]> {
    const { store, clock, groups } = this.#parts
    const waiting = await waitingGroups(store.db, clock.now())
    const unknown = waiting.filter((folder) => groups.byFolder(folder) === undefined)
    if (unknown.length > 0 && (await endRunsOfRemoved(this.#parts, unknown)) > 0) this.#parts.wakeMail()
    const known = waiting.filter((folder) => !unknown.includes(folder))
    return known.sort((a, b) => this.#turnOf(a) - this.#turnOf(b) || (a < b ? -1 : 1))
  }

  #turnOf(group: string): number {
    return this.#turns.get(group) ?? 0
  }

  async #startOne(group: string): Promise<boolean> {
    const { store, clock, hub } = this.#parts
    const candidate = await nextOf(store.db, group, clock.now())
    if (candidate === undefined) return false
    const token = await this.#mintToken(candidate)
    if (token === undefined) {
      // What the hub refuses for one group must not come first again, and so keep all others waiting.
      this.#turns.set(group, ++this.#turn)
      return false
    }
    const giveBack = () => hub.revokeToken(token).catch(() => {})
    const claim = await store
      .transaction((db) => claimRun(db, this.#parts, candidate, token))
      .catch(async (error: unknown) => {
        await giveBack()
        throw error
      })
    if (claim === undefined) {
      await giveBack()
      return false
    }
    this.#turns.set(group, ++this.#turn)
    const attempt = new Attempt(this.#parts, claim, token)
    const done = attempt.run().then(() => {
      this.#attempts.delete(candidate.id)
      this.wake()
    })
    this.#attempts.set(candidate.id, { attempt, done })
    return true
  }

  /** Before the claim: a hub that is away costs no attempt. */
  async #mintToken(run: RunRow): Promise<string | undefined> {
    const { store, hub, clock, log } = this.#parts
    const work =
      run.task_id === null
        ? undefined
        : await store.db.selectFrom('tasks').selectAll().where('id', '=', run.task_id).executeTakeFirst()
    try {
      return await hub.mintToken(identityOf(run, run.attempts + 1, work), tokenMsOf(this.#parts, run.group_folder))
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error
      log.warn({ code: error.code }, `no token for a run: ${error.message}`)
      this.#hubRetryAt = clock.now() + hubRetryMs
      return undefined
    }
  }

  async #nextDeadline(): Promise<number | undefined> {
    const { store, clock, others } = this.#parts
    const now = clock.now()
    this.#nextDue = await nextWork(store.db, now)
    const lease = await nextLeaseEnd(store.db, [...this.#attempts.keys()]).executeTakeFirst()
    const times = [
      this.#nextDue,
      lease?.at,
      others() > 0 ? now + pollMs : undefined,
      this.#hubRetryAt > now ? this.#hubRetryAt : undefined,
    ].filter((time) => time !== undefined)
    return times.length === 0 ? undefined : Math.max(now + 1, Math.min(...times))
  }
}
