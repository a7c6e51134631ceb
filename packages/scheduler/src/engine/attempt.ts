import { recordActivity } from '../activity/record-activity.js'
import { settleRetryMs, tokenMarginMs, tokenMsMax } from '../limits.js'
import type { RunReport, RunRequest, StopReason } from '../runners/runner.js'
import type { Claim } from './claim-run.js'
import type { EngineParts } from './engine-parts.js'
import { identityOf, requestOf, timeoutOf } from './run-request.js'
import { type Ending, settleAttempt } from './settle-attempt.js'

/** One attempt of a run in this process: it holds the lease, runs the runner, and records what came of it. */
export class Attempt {
  readonly runId: string
  readonly fence: number
  /** UTC ms at which it is stopped. */
  readonly endsBy: number
  readonly #parts: EngineParts
  readonly #claim: Claim
  readonly #token: string
  readonly #stopping = new AbortController()
  /** Ends the sleeps of what watches over the attempt. */
  readonly #over = new AbortController()
  #leaseUntil: number

  constructor(parts: EngineParts, claim: Claim, token: string) {
    this.#parts = parts
    this.#claim = claim
    this.#token = token
    this.runId = claim.run.id
    this.fence = claim.fence
    this.#leaseUntil = claim.leaseUntil
    this.endsBy = claim.startedAt + timeoutOf(parts, claim.run.group_folder)
  }

  /** The first reason stays. */
  stop(reason: StopReason): void {
    this.#stopping.abort(reason)
  }

  /** After a hub has come: it may be another one, which does not know this run. Never rejects. */
  async restoreToken(): Promise<void> {
    const { clock, hub, log } = this.#parts
    const { run, attempt, work } = this.#claim
    // Nobody may call back for a run that has another owner.
    if (this.#stopping.signal.aborted || this.#isExpired) return
    const identity = identityOf(run, attempt, work.kind === 'task' ? work.task : undefined)
    const ttlMs = Math.min(Math.max(this.endsBy - clock.now(), 0) + tokenMarginMs, tokenMsMax)
    await hub.restoreToken(this.#token, identity, ttlMs).catch((error: Error) => {
      log.warn({ run: run.id }, `a run has lost its tools: ${error.message}`)
    })
  }

  /** Resolves when nothing of it lives on and its end is recorded. Never rejects. */
  async run(): Promise<void> {
    const renewing = this.#keepLease()
    const timing = this.#keepTime()
    const report = await this.#runRunner()
    await this.#record(report)
    this.#over.abort()
    await Promise.all([renewing, timing])
    await this.#parts.hub.revokeToken(this.#token).catch(() => {})
  }

  async #runRunner(): Promise<RunReport> {
    try {
      const request = requestOf(this.#parts, this.#claim, this.#token, (child) => this.#recordChild(child))
      if (request.tool !== undefined) await this.#recordRepeatable(request.tool.name)
      return await this.#parts.runner.run(request, this.#stopping.signal)
    } catch (error) {
      this.#parts.log.error({ err: error, run: this.runId }, 'a runner failed')
      const text = 'The scheduler itself failed to run it; its log says how.'
      return { text: '', error: { class: 'internal', text, transient: true } }
    }
  }

  /** Known before the child works, so that whoever takes over can end it. */
  async #recordChild({ pgid, identity }: Parameters<RunRequest['onProcess']>[0]): Promise<void> {
    const { numUpdatedRows } = await this.#own().set({ pgid, process_identity: identity }).executeTakeFirst()
    if (Number(numUpdatedRows) > 0) return
    this.stop('fenced')
    throw new Error('The run was lost before its program had started.')
  }

  /** Known before the call is made, so that whoever takes over knows whether it may be made again. */
  async #recordRepeatable(name: string): Promise<void> {
    const tools = await this.#parts.hub.tools(this.#token).catch(() => [])
    const { annotations } = tools.find((tool) => tool.name === name) ?? {}
    if (!annotations?.idempotentHint && !annotations?.readOnlyHint) return
    await this.#own().set({ repeatable: 1 }).execute()
  }

  async #keepLease(): Promise<void> {
    const { clock, config, log } = this.#parts
    while (!this.#over.signal.aborted) {
      await clock.sleepUntil(this.#leaseUntil - (config.lease_ms * 2) / 3, this.#over.signal)
      if (this.#over.signal.aborted) return
      try {
        if (this.#isExpired || !(await this.#renew())) return this.stop('fenced')
      } catch (error) {
        if (this.#isExpired) return this.stop('fenced')
        log.warn({ err: error, run: this.runId }, 'a lease could not be renewed; trying again')
        await clock.sleepUntil(clock.now() + 1_000, this.#over.signal)
      }
    }
  }

  get #isExpired(): boolean {
    return this.#parts.clock.now() >= this.#leaseUntil
  }

  async #renew(): Promise<boolean> {
    const { clock, config } = this.#parts
    const leaseUntil = clock.now() + config.lease_ms
    const { numUpdatedRows } = await this.#own().set({ lease_until: leaseUntil }).executeTakeFirst()
    if (Number(numUpdatedRows) === 0) return false
    this.#leaseUntil = leaseUntil
    return true
  }

  /** This attempt's row, while it is still the run's. */
  #own() {
    const { store } = this.#parts
    return store.db
      .updateTable('attempts')
      .where('run_id', '=', this.runId)
      .where('n', '=', this.#claim.attempt)
      .where('fence', '=', this.fence)
      .where('outcome', 'is', null)
  }

  async #keepTime(): Promise<void> {
    await this.#parts.clock.sleepUntil(this.endsBy, this.#over.signal)
    if (!this.#over.signal.aborted) this.stop('timed_out')
  }

  /**
   * Where the lease could be renewed all the while, it is not the database that is at fault but what the runner has told: then
   * that goes to the log, and the run ends without it.
   */
  async #record(report: RunReport): Promise<void> {
    const { clock, config } = this.#parts
    const begun = clock.monotonic()
    const isHopeless = () => clock.monotonic() - begun > 2 * config.lease_ms
    while (!(await this.#trySettle(isHopeless() ? unrecordable : report))) {
      await clock.sleepUntil(clock.now() + settleRetryMs)
    }
  }

  /** A database that is away for a moment must not cost what was done. False: to be tried again. */
  async #trySettle(report: RunReport): Promise<boolean> {
    try {
      await this.#settle(report)
      return true
    } catch (error) {
      this.#parts.log.error({ err: error, run: this.runId }, 'the end of a run could not be recorded')
      // Whoever takes over the expired lease records it then.
      return this.#isExpired || this.#stopping.signal.reason === 'stopping'
    }
  }

  async #settle(report: RunReport): Promise<void> {
    const { store } = this.#parts
    // A lease that has run out during a suspend is lost even if nobody has taken over yet.
    if (this.#isExpired) this.stop('fenced')
    const reason = this.#stopping.signal.reason as StopReason | undefined
    if (reason === 'cancelled') return
    const key = { runId: this.runId, attempt: this.#claim.attempt, fence: this.fence }
    const isOwn =
      reason !== 'fenced' &&
      (await store.transaction((db) => settleAttempt(db, this.#parts, key, this.#endingOf(report, reason))))
    if (!isOwn) await this.#recordFenced()
    this.#parts.wakeMail()
  }

  #endingOf(report: RunReport, reason: 'timed_out' | 'stopping' | undefined): Ending {
    // What was finished before it could be stopped is finished.
    if (reason === undefined || report.error === undefined) return { kind: 'report', report }
    if (reason === 'timed_out') {
      return { kind: 'timed_out', report, timeoutMs: this.endsBy - this.#claim.startedAt }
    }
    return { kind: 'abandoned', report, why: 'The scheduler was stopped while it ran.' }
  }

  async #recordFenced(): Promise<void> {
    const { store, clock } = this.#parts
    const { run, attempt } = this.#claim
    // A run that somebody cancelled is nothing to warn of.
    const now = await store.db.selectFrom('runs').select('outcome').where('id', '=', run.id).executeTakeFirst()
    if (now?.outcome === 'cancelled') return
    await recordActivity(store.db, {
      at: clock.now(),
      type: 'run_fenced',
      group: run.group_folder,
      ...(run.task_id !== null && { taskId: run.task_id }),
      runId: run.id,
      summary: `Attempt ${attempt} of ${run.id} lost its lease; its result was dropped.`,
      details: { attempt, fence: this.fence },
    })
  }
}

const unrecordable: RunReport = {
  text: '',
  error: { class: 'internal', text: 'What it left could not be recorded; the log says why.', transient: false },
}
