import { flag, type Store, storable } from '@callboard/store'
import { bpmDefault, nameLengthMax, sessionsPerOwnerMax, vibeLengthMax } from '../limits.js'
import type { Loop, Transport } from '../session/clock.js'
import { ModuleError } from '../session/module-api.js'
import type { KernelSchema } from './schema.js'

/** A session as it is stored. */
export interface SessionRecord {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly vibe: string | null
  /** Other owners may read it, and load it when it is free. */
  readonly shared: boolean
  /** The kernel that has it, as `holderOf` names it, in a living instance. */
  readonly heldBy: string | null
  readonly transport: StoredTransport
}

export interface StoredTransport {
  readonly state: Transport['state']
  readonly beat: number
  /** UTC ms at which it was at that beat; null unless playing. */
  readonly at: number | null
  readonly bpm: number
  readonly loop: Loop | null
}

export interface SessionRecordsOptions {
  /** Of this worker: what it holds is released when it has gone. */
  readonly instance: string
  readonly now: () => number
  readonly newId: () => string
}

type Transaction = Parameters<Parameters<Store<KernelSchema>['transaction']>[0]>[0]

const columns = [
  'id',
  'owner',
  'name',
  'vibe',
  'shared',
  'held_by',
  'held_instance',
  'last_holder',
  'state',
  'anchor_beat',
  'anchor_time',
  'bpm',
  'loop_start',
  'loop_end',
] as const

/** Which session belongs to which kernel, and its clock. A kernel has one at a time. */
export class SessionRecords {
  readonly #store: Store<KernelSchema>
  readonly #options: SessionRecordsOptions

  constructor(store: Store<KernelSchema>, options: SessionRecordsOptions) {
    this.#store = store
    this.#options = options
  }

  /**
   * The kernel's session; else the one it had last, else, for the kernel of an agent, the newest that agents of the owner have
   * left, else a new one, "untitled". What a named kernel had waits for it.
   */
  current(owner: string, key: string): Promise<SessionRecord> {
    const kernel = holderOf(owner, key)
    return this.#store.transaction(async (transaction) => {
      const rows = await this.#ownRows(transaction, owner)
      const held = await transaction
        .selectFrom('sessions')
        .select(columns)
        .where('held_by', '=', kernel)
        .executeTakeFirst()
      const row =
        held ??
        rows.find(({ held_by, last_holder }) => held_by === null && last_holder === kernel) ??
        rows.find(({ held_by, last_holder }) => held_by === null && !isNamed(key) && !isNamed(keyOf(last_holder)))
      if (row) return this.#hold(transaction, row, kernel)
      return this.#create(transaction, rows, owner, kernel, freeName(rows))
    })
  }

  /** Undefined if the kernel has none. Never takes or makes one. */
  async held(owner: string, key: string): Promise<SessionRecord | undefined> {
    const row = await this.#store.db
      .selectFrom('sessions')
      .select(columns)
      .where('held_by', '=', holderOf(owner, key))
      .executeTakeFirst()
    return row && recordOf(row)
  }

  /** The owner's session of that name, else a new one, in place of the one that the kernel has. */
  switchToName(owner: string, key: string, name: string): Promise<SessionRecord> {
    const kernel = holderOf(owner, key)
    return this.#store.transaction(async (transaction) => {
      const rows = await this.#ownRows(transaction, owner)
      const row = rows.find((candidate) => candidate.name === storable(name, nameLengthMax))
      if (row) return this.#switch(transaction, row, kernel)
      await this.#letGo(transaction, kernel)
      return this.#create(transaction, rows, owner, kernel, name)
    })
  }

  /** One of the owner's, or a shared one that is free. ModuleError: NotFoundError, SessionBusyError. */
  switchToId(owner: string, key: string, id: string): Promise<SessionRecord> {
    const kernel = holderOf(owner, key)
    return this.#store.transaction(async (transaction) => {
      const row = await transaction.selectFrom('sessions').select(columns).where('id', '=', id).executeTakeFirst()
      if (!row || (row.owner !== owner && row.shared === 0)) throw unknownSession(id)
      return this.#switch(transaction, row, kernel)
    })
  }

  /** Undefined as well when it belongs to another owner who does not share it. */
  async readable(owner: string, id: string): Promise<SessionRecord | undefined> {
    const row = await this.#store.db.selectFrom('sessions').select(columns).where('id', '=', id).executeTakeFirst()
    return row && (row.owner === owner || row.shared === 1) ? recordOf(row) : undefined
  }

  /** The owner's own and what others share, newest first. */
  async list(owner: string): Promise<readonly SessionRecord[]> {
    const rows = await this.#store.db
      .selectFrom('sessions')
      .select(columns)
      .where((of) => of.or([of('owner', '=', owner), of('shared', '=', 1)]))
      .orderBy('updated_at', 'desc')
      .orderBy('id')
      .limit(2 * sessionsPerOwnerMax)
      .execute()
    return rows.map(recordOf)
  }

  async describe(id: string, change: { readonly vibe?: string | null; readonly shared?: boolean }): Promise<void> {
    await this.#store.db
      .updateTable('sessions')
      .set({
        ...(change.vibe !== undefined && { vibe: change.vibe === null ? null : storable(change.vibe, vibeLengthMax) }),
        ...(change.shared !== undefined && { shared: flag(change.shared) }),
        updated_at: this.#options.now(),
      })
      .where('id', '=', id)
      .execute()
  }

  async saveTransport(id: string, transport: StoredTransport): Promise<void> {
    await this.#store.db
      .updateTable('sessions')
      .set({ ...transportColumns(transport), updated_at: this.#options.now() })
      .where('id', '=', id)
      .execute()
  }

  /** The agent has gone: its session is free, and it gets it back first. */
  async release(owner: string, key: string): Promise<void> {
    await this.#store.transaction((transaction) => this.#letGo(transaction, holderOf(owner, key)))
  }

  /** What an instance held that has died: clocks pause at the last saved beat, functions are gone. */
  async releaseInstance(instance: string): Promise<void> {
    await this.#store.transaction(async (transaction) => {
      const rows = await transaction
        .selectFrom('sessions')
        .select(['id', 'held_by'])
        .where('held_instance', '=', instance)
        .execute()
      for (const { id, held_by } of rows) await this.#free(transaction, id, held_by)
    })
  }

  /** Vibe, tempo, transport, rules, markers and history go; id, name and holder stay. */
  async clear(id: string): Promise<void> {
    await this.#store.transaction(async (transaction) => {
      for (const table of ['history', 'markers', 'rules'] as const) {
        await transaction.deleteFrom(table).where('session_id', '=', id).execute()
      }
      await transaction
        .updateTable('sessions')
        .set({ vibe: null, ...transportColumns(stopped), updated_at: this.#options.now() })
        .where('id', '=', id)
        .execute()
    })
  }

  #ownRows(transaction: Transaction, owner: string) {
    return transaction
      .selectFrom('sessions')
      .select(columns)
      .where('owner', '=', owner)
      .orderBy('updated_at', 'desc')
      .orderBy('id')
      .execute()
  }

  async #switch(transaction: Transaction, row: SessionRow, kernel: string): Promise<SessionRecord> {
    if (row.held_by !== null && row.held_by !== kernel) {
      throw new ModuleError(
        'SessionBusyError',
        `Another kernel holds the session "${row.name}"; it is free when that one switches or its agent goes.`,
      )
    }
    if (row.held_by !== kernel) await this.#letGo(transaction, kernel)
    return this.#hold(transaction, row, kernel)
  }

  async #hold(transaction: Transaction, row: SessionRow, kernel: string): Promise<SessionRecord> {
    const { instance, now } = this.#options
    await transaction
      .updateTable('sessions')
      .set({ held_by: kernel, held_instance: instance, last_holder: kernel, updated_at: now() })
      .where('id', '=', row.id)
      .execute()
    return { ...recordOf(row), heldBy: kernel }
  }

  async #create(
    transaction: Transaction,
    rows: readonly SessionRow[],
    owner: string,
    kernel: string,
    name: string,
  ): Promise<SessionRecord> {
    if (rows.length >= sessionsPerOwnerMax) {
      throw new ModuleError(
        'LimitError',
        `You have ${rows.length} sessions, which is as many as there may be; load one.`,
      )
    }
    const { instance, now, newId } = this.#options
    const row: SessionRow = {
      id: newId(),
      owner,
      name: storable(name, nameLengthMax),
      vibe: null,
      shared: 0,
      held_by: kernel,
      held_instance: instance,
      last_holder: kernel,
      ...transportColumns(stopped),
    }
    await transaction
      .insertInto('sessions')
      .values({ ...row, created_at: now(), updated_at: now() })
      .execute()
    return recordOf(row)
  }

  /** Whatever the kernel holds. */
  async #letGo(transaction: Transaction, kernel: string): Promise<void> {
    const rows = await transaction.selectFrom('sessions').select(['id']).where('held_by', '=', kernel).execute()
    for (const { id } of rows) await this.#free(transaction, id, kernel)
  }

  async #free(transaction: Transaction, id: string, kernel: string | null): Promise<void> {
    await transaction
      .updateTable('sessions')
      .set({ held_by: null, held_instance: null, last_holder: kernel, anchor_time: null })
      .where('id', '=', id)
      .execute()
    await transaction
      .updateTable('sessions')
      .set({ state: 'paused' })
      .where('id', '=', id)
      .where('state', '=', 'playing')
      .execute()
    await transaction
      .updateTable('rules')
      .set({ status: 'unbound' })
      .where('session_id', '=', id)
      .where('status', '=', 'active')
      .where('action', 'like', 'call:%')
      .execute()
  }
}

/** A key is unique per owner only, and a shared session may be held by the kernel of another. */
export function holderOf(owner: string, key: string): string {
  return JSON.stringify([owner, key])
}

function keyOf(holder: string | null): string {
  return holder === null ? '' : (JSON.parse(holder) as [string, string])[1]
}

function isNamed(key: string): boolean {
  return key.startsWith('named:')
}

export function unknownSession(id: string): ModuleError {
  return new ModuleError('NotFoundError', `There is no session ${JSON.stringify(id.slice(0, 80))} that you may read.`)
}

const stopped: StoredTransport = { state: 'stopped', beat: 0, at: null, bpm: bpmDefault, loop: null }

interface SessionRow {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly vibe: string | null
  readonly shared: 0 | 1
  readonly held_by: string | null
  readonly held_instance: string | null
  readonly last_holder: string | null
  readonly state: string
  readonly anchor_beat: number
  readonly anchor_time: number | null
  readonly bpm: number
  readonly loop_start: number | null
  readonly loop_end: number | null
}

function transportColumns({ state, beat, at, bpm, loop }: StoredTransport) {
  return {
    state,
    anchor_beat: beat,
    anchor_time: at,
    bpm,
    loop_start: loop?.start ?? null,
    loop_end: loop?.end ?? null,
  }
}

function recordOf(row: SessionRow): SessionRecord {
  const { id, owner, name, vibe, held_by, loop_start, loop_end } = row
  const playing = row.state === 'playing' && held_by !== null
  const state = playing ? 'playing' : row.state === 'stopped' ? 'stopped' : 'paused'
  return {
    id,
    owner,
    name,
    vibe,
    shared: row.shared === 1,
    heldBy: held_by,
    transport: {
      state,
      beat: row.anchor_beat,
      at: playing ? row.anchor_time : null,
      bpm: row.bpm,
      loop: loop_start === null || loop_end === null ? null : { start: loop_start, end: loop_end },
    },
  }
}

function freeName(rows: readonly { readonly name: string }[]): string {
  const taken = new Set(rows.map(({ name }) => name))
  let name = 'untitled'
  for (let number = 2; taken.has(name); number += 1) name = `untitled ${number}`
  return name
}
