import { randomUUID } from 'node:crypto'
import type { Store } from '@callboard/store'
import { recentHistoryMax } from '../limits.js'
import type { KernelSchema } from './schema.js'

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

/** What outlives a kernel: sessions, history, runs and the epochs of kernel processes. */
export class SessionRecords {
  readonly #store: Store<KernelSchema>
  readonly #now: () => number

  constructor(store: Store<KernelSchema>, now: () => number = Date.now) {
    this.#store = store
    this.#now = now
  }

  /** The agent's session; else the owner's newest whose agent has gone; else a new one, "untitled". */
  async currentSession(owner: string, session: string): Promise<SessionRow> {
    const held = await this.#store.db
      .selectFrom('sessions')
      .select(['id', 'name', 'vibe', 'bpm'])
      .where('owner', '=', owner)
      .where('held_by', '=', session)
      .executeTakeFirst()
    return held ?? this.#takeOrCreate(owner, session)
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
  async release(owner: string, key: string): Promise<void> {
    await this.#store.db
      .updateTable('sessions')
      .set({ held_by: null })
      .where('owner', '=', owner)
      .where('held_by', '=', key)
      .execute()
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

  #takeOrCreate(owner: string, session: string): Promise<SessionRow> {
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
