import { randomUUID } from 'node:crypto'
import type { Store } from '@callboard/store'
import { flag } from '@callboard/store'
import {
  historyCodeLengthMax,
  historyKeptMax,
  kernelsKeptMax,
  pruneEveryRuns,
  recentHistoryMax,
  runsKeptMax,
  storedCodeLengthMax,
} from '../limits.js'
import type { KernelSchema } from './schema.js'

/** Who a call acts for: stored things belong to the owner, a kernel to the agent. */
export interface Agent {
  /** `caller.onBehalfOf`, else `caller.principal`. */
  readonly owner: string
  /** `caller.session`. */
  readonly session: string
}

export interface SessionRow {
  readonly id: string
  readonly name: string
  readonly vibe: string | null
  readonly bpm: number
}

export interface HistoryEntry {
  readonly action: string
  readonly success: boolean
  readonly createdAt: number
}

export type RunStatus = 'running' | 'ok' | 'error' | 'interrupted' | 'timeout' | 'kernel_died'

export interface RunEnd {
  readonly status: RunStatus
  readonly code: string
  readonly result: string | null
  readonly error: string | null
  readonly stdoutBytes: number
  readonly stderrBytes: number
}

/** What outlives a kernel: sessions, history, runs and the epochs of kernel processes. */
export class KernelRecords {
  readonly #store: Store<KernelSchema>
  readonly #now: () => number

  constructor(store: Store<KernelSchema>, now: () => number = Date.now) {
    this.#store = store
    this.#now = now
  }

  /** The agent's session; else the owner's newest whose agent has gone; else a new one, "untitled". */
  async currentSession({ owner, session }: Agent): Promise<SessionRow> {
    const held = await this.#store.db
      .selectFrom('sessions')
      .select(['id', 'name', 'vibe', 'bpm'])
      .where('owner', '=', owner)
      .where('held_by', '=', session)
      .executeTakeFirst()
    return held ?? this.#takeOrCreate({ owner, session })
  }

  /** Undefined as well when it belongs to another owner. */
  findSession(owner: string, id: string): Promise<SessionRow | undefined> {
    return this.#store.db
      .selectFrom('sessions')
      .select(['id', 'name', 'vibe', 'bpm'])
      .where('owner', '=', owner)
      .where('id', '=', id)
      .executeTakeFirst()
  }

  /** The agent has gone: its sessions may be taken over by the next one of the owner. */
  async releaseSessions(session: string): Promise<void> {
    await this.#store.db.updateTable('sessions').set({ held_by: null }).where('held_by', '=', session).execute()
  }

  /** Vibe, tempo, transport and history go; id and name stay. */
  async clearSession(id: string): Promise<void> {
    await this.#store.transaction(async (transaction) => {
      await transaction.deleteFrom('history').where('session_id', '=', id).execute()
      await transaction
        .updateTable('sessions')
        .set({ vibe: null, bpm: 120, state: 'stopped', anchor_beat: 0, updated_at: this.#now() })
        .where('id', '=', id)
        .execute()
    })
  }

  /** Newest first. */
  async recentHistory(sessionId: string): Promise<readonly HistoryEntry[]> {
    const rows = await this.#store.db
      .selectFrom('history')
      .select(['action', 'success', 'created_at'])
      .where('session_id', '=', sessionId)
      .orderBy('id', 'desc')
      .limit(recentHistoryMax)
      .execute()
    return rows.map((row) => ({ action: row.action, success: row.success === 1, createdAt: row.created_at }))
  }

  /** A new kernel process of the owner. Returns its epoch. */
  beginKernel({ owner, session }: Agent, pid: number): Promise<number> {
    return this.#store.transaction(async (transaction) => {
      const newest = await transaction
        .selectFrom('kernels')
        .select((of) => of.fn.max('epoch').as('epoch'))
        .where('owner', '=', owner)
        .executeTakeFirst()
      const epoch = Number(newest?.epoch ?? 0) + 1
      await transaction
        .insertInto('kernels')
        .values({ owner, epoch, kernel: session, runtime: 'python3', instance: '', pid, started_at: this.#now() })
        .execute()
      await transaction
        .deleteFrom('kernels')
        .where('owner', '=', owner)
        .where('epoch', '<=', epoch - kernelsKeptMax)
        .execute()
      return epoch
    })
  }

  async endKernel(
    owner: string,
    epoch: number,
    code: number | null,
    signal: string | null,
    reason: string,
  ): Promise<void> {
    await this.#store.db
      .updateTable('kernels')
      .set({ ended_at: this.#now(), exit_code: code, signal, reason: storable(reason, 2000) })
      .where('owner', '=', owner)
      .where('epoch', '=', epoch)
      .execute()
  }

  /** Whether this agent had a kernel before: after a restart of the worker its variables are gone. */
  async hadKernel({ owner, session }: Agent): Promise<boolean> {
    const row = await this.#store.db
      .selectFrom('kernels')
      .select('epoch')
      .where('owner', '=', owner)
      .where('kernel', '=', session)
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }

  /** Returns the run's id, which rises per owner. */
  beginRun({ owner, session }: Agent, epoch: number, code: string): Promise<number> {
    return this.#store.transaction(async (transaction) => {
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
          kernel: session,
          instance: '',
          epoch,
          code_hash: '',
          code: storable(code, storedCodeLengthMax),
          status: 'running',
          created_at: this.#now(),
          started_at: this.#now(),
        })
        .execute()
      return runId
    })
  }

  async endRun(owner: string, runId: number, sessionId: string, end: RunEnd): Promise<void> {
    await this.#store.transaction(async (transaction) => {
      await transaction
        .updateTable('runs')
        .set({
          status: end.status,
          result: end.result === null ? null : storable(end.result, storedCodeLengthMax),
          error: end.error === null ? null : storable(end.error, storedCodeLengthMax),
          stdout_bytes: end.stdoutBytes,
          stderr_bytes: end.stderrBytes,
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
      if (runId % pruneEveryRuns !== 0) return
      await transaction
        .deleteFrom('runs')
        .where('owner', '=', owner)
        .where('run_id', '<=', runId - runsKeptMax)
        .execute()
      const oldest = await transaction
        .selectFrom('history')
        .select('id')
        .where('session_id', '=', sessionId)
        .orderBy('id', 'desc')
        .offset(historyKeptMax)
        .limit(1)
        .executeTakeFirst()
      if (oldest) {
        await transaction
          .deleteFrom('history')
          .where('session_id', '=', sessionId)
          .where('id', '<=', oldest.id)
          .execute()
      }
    })
  }

  #takeOrCreate({ owner, session }: Agent): Promise<SessionRow> {
    return this.#store.transaction(async (transaction) => {
      // Read again: another call of the agent may have come first.
      const rows = await transaction
        .selectFrom('sessions')
        .select(['id', 'name', 'vibe', 'bpm', 'held_by'])
        .where('owner', '=', owner)
        .orderBy('updated_at', 'desc')
        .execute()
      const now = this.#now()
      const row = rows.find(({ held_by }) => held_by === session) ?? rows.find(({ held_by }) => held_by === null)
      if (row) {
        await transaction
          .updateTable('sessions')
          .set({ held_by: session, updated_at: now })
          .where('id', '=', row.id)
          .execute()
        return { id: row.id, name: row.name, vibe: row.vibe, bpm: row.bpm }
      }
      const created = { id: randomUUID(), name: freeName(new Set(rows.map(({ name }) => name))), vibe: null, bpm: 120 }
      await transaction
        .insertInto('sessions')
        .values({
          ...created,
          owner,
          shared: 0,
          held_by: session,
          state: 'stopped',
          anchor_beat: 0,
          created_at: now,
          updated_at: now,
        })
        .execute()
      return created
    })
  }
}

function freeName(taken: ReadonlySet<string>): string {
  let name = 'untitled'
  for (let number = 2; taken.has(name); number += 1) name = `untitled ${number}`
  return name
}

/** What both databases can hold: PostgreSQL refuses U+0000, UTF-8 has no lone surrogates. */
function storable(text: string, lengthMax: number): string {
  const short = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text
  return Buffer.from(short).toString('utf8').replaceAll('\0', '\uFFFD')
}
