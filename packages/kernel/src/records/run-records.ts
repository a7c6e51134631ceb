import { createHash } from 'node:crypto'
import { flag, type Store, storable } from '@callboard/store'
import {
  codeLengthMax,
  historyCodeLengthMax,
  idempotencyKeptMs,
  pruneEveryRuns,
  runsKeptMax,
  storedErrorLengthMax,
  storedTextLengthMax,
} from '../limits.js'
import type { CapturedText } from '../output/stream-output.js'
import type { NameChanges } from '../runtime/runtime.js'
import { pruneHistory } from './prune-history.js'
import type { KernelSchema } from './schema.js'

export type FinalStatus = 'ok' | 'error' | 'interrupted' | 'timeout' | 'kernel_died' | 'refused'
export type RunStatus = 'queued' | 'running' | FinalStatus

export interface RunRow {
  readonly owner: string
  readonly runId: number
  /** Key of its kernel. */
  readonly kernel: string
  readonly instance: string
  readonly epoch: number | null
  readonly code: string
  readonly codeHash: string
  readonly status: RunStatus
  readonly result: string | null
  readonly error: string | null
  readonly names: NameChanges | null
  readonly truncated: { readonly [field: string]: number } | null
  readonly stdout: string | null
  readonly stderr: string | null
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly spool: string | null
  /** UTC ms. */
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
}

export interface RunBeginning {
  readonly owner: string
  readonly kernel: string
  readonly code: string
  readonly idempotencyKey: string
  /** Of the process that takes it at once; null: it has to wait. */
  readonly epoch: number | null
  /** Throws if there is no place for a new run; asked after the key, which is answered in any case. */
  readonly admit?: () => void
}

export type Begun =
  | { readonly kind: 'new'; readonly runId: number }
  /** The key was used before, with the same code. */
  | { readonly kind: 'known'; readonly run: RunRow }
  /** The key was used before, for other code. */
  | { readonly kind: 'conflict'; readonly runId: number }

export interface RunEnd {
  readonly status: FinalStatus
  readonly code: string
  readonly epoch: number | null
  readonly startedAt: number | null
  readonly result: string | null
  readonly error: string | null
  readonly names: NameChanges
  readonly truncated: object | null
  readonly stdout: string
  readonly stderr: string
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly spool: string | null
}

/** The whole of both streams, as they are now. */
export interface LateOutput {
  readonly stdout: CapturedText
  readonly stderr: CapturedText
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly spool: string | null
}

export interface RunQuery {
  readonly limit: number
  readonly before?: number
  /** Part of the code, without regard to case. */
  readonly query?: string
}

/** Every run of every owner: written before the code may start, kept when the process is gone. */
export class RunRecords {
  readonly #store: Store<KernelSchema>
  readonly #instance: string
  readonly #now: () => number

  constructor(store: Store<KernelSchema>, instance: string, now: () => number = Date.now) {
    this.#store = store
    this.#instance = instance
    this.#now = now
  }

  /** In one transaction: a key that is sent twice at the same time still gives one run. */
  begin({ owner, kernel, code, idempotencyKey, epoch, admit }: RunBeginning): Promise<Begun> {
    const codeHash = hashOf(code)
    // Of one length, and of characters that every database takes.
    const key = hashOf(idempotencyKey)
    const now = this.#now()
    return this.#store.transaction(async (transaction) => {
      const known = await transaction
        .selectFrom('runs')
        .selectAll()
        .where('owner', '=', owner)
        .where('idempotency_key', '=', key)
        .executeTakeFirst()
      if (known && known.created_at > now - idempotencyKeptMs) {
        if (known.code_hash !== codeHash) return { kind: 'conflict', runId: known.run_id }
        return { kind: 'known', run: rowOf(known) }
      }
      admit?.()
      if (known) {
        await transaction
          .updateTable('runs')
          .set({ idempotency_key: null })
          .where('owner', '=', owner)
          .where('run_id', '=', known.run_id)
          .execute()
      }
      const newest = await transaction
        .selectFrom('runs')
        .select((of) => of.fn.max('run_id').as('run_id'))
        .where('owner', '=', owner)
        .executeTakeFirst()
      const runId = Number(newest?.run_id ?? 0) + 1
      await transaction
        .insertInto('runs')
        .values({
          owner,
          run_id: runId,
          kernel,
          instance: this.#instance,
          epoch,
          code: storable(code, codeLengthMax),
          code_hash: codeHash,
          status: epoch === null ? 'queued' : 'running',
          idempotency_key: key,
          created_at: now,
          started_at: epoch === null ? null : now,
        })
        .execute()
      return { kind: 'new', runId }
    })
  }

  /** One that had to wait is about to start. */
  async start(owner: string, runId: number, epoch: number): Promise<void> {
    await this.#store.db
      .updateTable('runs')
      .set({ status: 'running', epoch, started_at: this.#now() })
      .where('owner', '=', owner)
      .where('run_id', '=', runId)
      .execute()
  }

  /** Returns the spool folders of the rows that were old enough to go. */
  end(owner: string, runId: number, sessionId: string, end: RunEnd): Promise<readonly string[]> {
    return this.#store.transaction(async (transaction) => {
      await transaction
        .updateTable('runs')
        .set({
          status: end.status,
          epoch: end.epoch,
          started_at: end.startedAt,
          result: end.result === null ? null : storable(end.result, storedTextLengthMax),
          error: end.error === null ? null : storable(end.error, storedErrorLengthMax),
          names: JSON.stringify(end.names),
          truncated: end.truncated === null ? null : JSON.stringify(end.truncated),
          stdout: storable(end.stdout, storedTextLengthMax),
          stderr: storable(end.stderr, storedTextLengthMax),
          stdout_bytes: end.stdoutBytes,
          stderr_bytes: end.stderrBytes,
          spool: end.spool,
          ended_at: this.#now(),
        })
        .where('owner', '=', owner)
        .where('run_id', '=', runId)
        .execute()
      await transaction
        .insertInto('history')
        .values({
          session_id: sessionId,
          action: `eval ${runId}: ${storable(end.code.replace(/\s*\n\s*/g, '; ').trim(), historyCodeLengthMax)}`,
          params: JSON.stringify({ run_id: runId }),
          result: end.status,
          success: flag(end.status === 'ok'),
          created_at: this.#now(),
        })
        .execute()
      if (runId % pruneEveryRuns !== 0) return []
      await pruneHistory(transaction, sessionId)
      return pruneRuns(transaction, owner, runId - runsKeptMax)
    })
  }

  /** An ended run has written more. */
  async addLate(owner: string, runId: number, late: LateOutput): Promise<void> {
    await this.#store.transaction(async (transaction) => {
      const row = await transaction
        .selectFrom('runs')
        .select('truncated')
        .where('owner', '=', owner)
        .where('run_id', '=', runId)
        .executeTakeFirst()
      if (!row) return
      const counts = row.truncated === null ? {} : (JSON.parse(row.truncated) as { readonly [field: string]: number })
      const { stdout, stderr } = late
      const cut = { ...counts, stdout: stdout.omittedBytes, stderr: stderr.omittedBytes }
      const truncated = Object.fromEntries(Object.entries(cut).filter(([, count]) => count > 0))
      await transaction
        .updateTable('runs')
        .set({
          stdout: storable(stdout.text, storedTextLengthMax),
          stderr: storable(stderr.text, storedTextLengthMax),
          stdout_bytes: late.stdoutBytes,
          stderr_bytes: late.stderrBytes,
          spool: late.spool,
          truncated: Object.keys(truncated).length === 0 ? null : JSON.stringify(truncated),
        })
        .where('owner', '=', owner)
        .where('run_id', '=', runId)
        .execute()
    })
  }

  async find(owner: string, runId: number): Promise<RunRow | undefined> {
    const row = await this.#store.db
      .selectFrom('runs')
      .selectAll()
      .where('owner', '=', owner)
      .where('run_id', '=', runId)
      .executeTakeFirst()
    return row && rowOf(row)
  }

  async newest(owner: string, kernel: string): Promise<RunRow | undefined> {
    const row = await this.#store.db
      .selectFrom('runs')
      .selectAll()
      .where('owner', '=', owner)
      .where('kernel', '=', kernel)
      .orderBy('run_id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && rowOf(row)
  }

  /** Newest first. */
  async list(owner: string, { limit, before, query }: RunQuery): Promise<readonly RunRow[]> {
    let select = this.#store.db.selectFrom('runs').selectAll().where('owner', '=', owner)
    if (before !== undefined) select = select.where('run_id', '<', before)
    if (query !== undefined) {
      // Not LIKE, whose wildcards the two databases escape in different ways.
      const position = this.#store.dialect === 'postgres' ? 'strpos' : 'instr'
      select = select.where(({ eb, fn, val }) =>
        eb(fn<number>(position, [fn('lower', ['code']), val(storable(query.toLowerCase(), query.length))]), '>', 0),
      )
    }
    return (await select.orderBy('run_id', 'desc').limit(limit).execute()).map(rowOf)
  }

  /** What a new process would have to run again, oldest first. */
  async journal(owner: string, kernel: string, from: number): Promise<readonly RunRow[]> {
    const rows = await this.#store.db
      .selectFrom('runs')
      .selectAll()
      .where('owner', '=', owner)
      .where('kernel', '=', kernel)
      .where('run_id', '>=', from)
      .where('status', '=', 'ok')
      .orderBy('run_id')
      .execute()
    return rows.map(rowOf)
  }

  /** Which instances have runs that seem to be active. */
  async activeInstances(): Promise<readonly string[]> {
    const rows = await this.#store.db
      .selectFrom('runs')
      .select('instance')
      .distinct()
      .where('status', 'in', ['queued', 'running'])
      .execute()
    return rows.map(({ instance }) => instance)
  }

  /** That instance of the worker is gone, and every run that it held with it. */
  async bury(instance: string): Promise<void> {
    await this.#store.transaction(async (transaction) => {
      const common = { instance, now: this.#now() }
      await transaction
        .updateTable('runs')
        .set({ status: 'kernel_died', error: workerGone, ended_at: common.now })
        .where('instance', '=', instance)
        .where('status', '=', 'running')
        .execute()
      await transaction
        .updateTable('runs')
        .set({ status: 'refused', error: workerGoneBefore, ended_at: common.now })
        .where('instance', '=', instance)
        .where('status', '=', 'queued')
        .execute()
    })
  }
}

export function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex')
}

const workerGone =
  'KernelDied: the kernel worker ended while this run was active. Its outcome is unknown: parts of the code may have run.'
const workerGoneBefore = 'Refused: the kernel worker ended before this run started; nothing ran.'

type Transaction = Parameters<Parameters<Store<KernelSchema>['transaction']>[0]>[0]

async function pruneRuns(transaction: Transaction, owner: string, through: number): Promise<readonly string[]> {
  if (through <= 0) return []
  const gone = await transaction
    .deleteFrom('runs')
    .where('owner', '=', owner)
    .where('run_id', '<=', through)
    .where('status', 'not in', ['queued', 'running'])
    .returning('spool')
    .execute()
  return gone.flatMap(({ spool }) => spool ?? [])
}

interface StoredRow {
  readonly owner: string
  readonly run_id: number
  readonly kernel: string
  readonly instance: string
  readonly epoch: number | null
  readonly code: string
  readonly code_hash: string
  readonly status: string
  readonly result: string | null
  readonly error: string | null
  readonly names: string | null
  readonly truncated: string | null
  readonly stdout: string | null
  readonly stderr: string | null
  readonly stdout_bytes: number | null
  readonly stderr_bytes: number | null
  readonly spool: string | null
  readonly created_at: number
  readonly started_at: number | null
  readonly ended_at: number | null
}

function rowOf(row: StoredRow): RunRow {
  return {
    owner: row.owner,
    runId: row.run_id,
    kernel: row.kernel,
    instance: row.instance,
    epoch: row.epoch,
    code: row.code,
    codeHash: row.code_hash,
    status: row.status as RunStatus,
    result: row.result,
    error: row.error,
    names: row.names === null ? null : (JSON.parse(row.names) as NameChanges),
    truncated: row.truncated === null ? null : (JSON.parse(row.truncated) as { readonly [field: string]: number }),
    stdout: row.stdout,
    stderr: row.stderr,
    stdoutBytes: row.stdout_bytes ?? 0,
    stderrBytes: row.stderr_bytes ?? 0,
    spool: row.spool,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }
}
