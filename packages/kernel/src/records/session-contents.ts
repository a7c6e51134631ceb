import { flag, type Store, storable } from '@callboard/store'
import {
  historyCodeLengthMax,
  pruneEveryRuns,
  ruleCodeLengthMax,
  ruleLogDetailLengthMax,
  ruleLogKeptMax,
} from '../limits.js'
import type { MarkerView } from '../session/module-api.js'
import { pruneHistory } from './prune-history.js'
import type { KernelSchema } from './schema.js'

export interface HistoryEntry {
  readonly action: string
  readonly params: unknown
  readonly result: string | null
  readonly success: boolean
  /** UTC ms. */
  readonly createdAt: number
}

/** A rule as its row has it: texts, and times in UTC ms. */
export interface RuleRow {
  readonly id: string
  readonly session_id: string
  readonly name: string
  readonly trigger: string
  readonly action: string
  readonly source: string | null
  readonly priority: number
  readonly enabled: 0 | 1
  readonly status: string
  readonly max_fires: number | null
  readonly cooldown_s: number
  readonly lead_s: number
  readonly max_late_s: number | null
  readonly limit_s: number
  readonly event_filter: string | null
  readonly fired_count: number
  readonly suppressed_count: number
  readonly missed_count: number
  readonly error_count: number
  readonly last_fired_at: number | null
  readonly last_error: string | null
  readonly due_at: number | null
  readonly created_at: number
}

export interface RuleLogRow {
  readonly rule_id: string
  readonly target_beat: number | null
  readonly fired_at: number
  readonly late_s: number
  readonly outcome: string
  readonly detail: string | null
}

/** What a session keeps: markers, rules with their logs, history. */
export class SessionContents {
  readonly #store: Store<KernelSchema>
  readonly #now: () => number
  #entries = 0

  constructor(store: Store<KernelSchema>, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** By beat, then by name. */
  async markers(sessionId: string): Promise<readonly MarkerView[]> {
    const rows = await this.#store.db
      .selectFrom('markers')
      .select(['name', 'beat', 'metadata'])
      .where('session_id', '=', sessionId)
      .orderBy('beat')
      .orderBy('name')
      .execute()
    return rows.map(({ name, beat, metadata }) => ({
      name,
      beat,
      metadata: metadata === null ? null : JSON.parse(metadata),
    }))
  }

  /** Inserts or moves. */
  async setMarker(sessionId: string, { name, beat, metadata }: MarkerView): Promise<void> {
    const now = this.#now()
    const value = { beat, metadata: metadata === null ? null : JSON.stringify(metadata), updated_at: now }
    await this.#store.db
      .insertInto('markers')
      .values({ session_id: sessionId, name, created_at: now, ...value })
      .onConflict((conflict) => conflict.columns(['session_id', 'name']).doUpdateSet(value))
      .execute()
  }

  async removeMarker(sessionId: string, name: string): Promise<void> {
    await this.#store.db.deleteFrom('markers').where('session_id', '=', sessionId).where('name', '=', name).execute()
  }

  /** By creation. */
  async rules(sessionId: string): Promise<readonly RuleRow[]> {
    return this.#store.db
      .selectFrom('rules')
      .selectAll()
      .where('session_id', '=', sessionId)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  }

  /** Inserts, or replaces the one with this id. */
  async setRule(row: RuleRow): Promise<void> {
    const { id, session_id, ...value } = storedRule(row)
    await this.#store.db
      .insertInto('rules')
      .values({ id, session_id, ...value })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(value))
      .execute()
  }

  async removeRule(id: string): Promise<void> {
    await this.#store.db.deleteFrom('rules').where('id', '=', id).execute()
  }

  /** Counters and logs together; a rule that was removed meanwhile stays removed. */
  async saveRules(rows: readonly RuleRow[], log: readonly RuleLogRow[]): Promise<void> {
    await this.#store.transaction(async (transaction) => {
      for (const row of rows) {
        const { id, session_id, ...value } = storedRule(row)
        await transaction.updateTable('rules').set(value).where('id', '=', id).execute()
      }
      const ids = [...new Set(log.map(({ rule_id }) => rule_id))]
      const known = await transaction
        .selectFrom('rules')
        .select('id')
        .where('id', 'in', ids.length > 0 ? ids : [''])
        .execute()
      const living = new Set(known.map(({ id }) => id))
      const written = log.filter(({ rule_id }) => living.has(rule_id))
      for (const row of written) {
        const detail = row.detail === null ? null : storable(row.detail, ruleLogDetailLengthMax)
        await transaction
          .insertInto('rule_log')
          .values({ ...row, detail })
          .execute()
      }
      for (const id of new Set(written.map(({ rule_id }) => rule_id))) await pruneLog(transaction, id)
    })
  }

  /** Newest first. */
  async ruleLog(ruleId: string, limit: number): Promise<readonly RuleLogRow[]> {
    return this.#store.db
      .selectFrom('rule_log')
      .select(['rule_id', 'target_beat', 'fired_at', 'late_s', 'outcome', 'detail'])
      .where('rule_id', '=', ruleId)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  }

  /** Newest first; `query`: what the action must contain, whatever its case. */
  async history(sessionId: string, limit: number, query?: string): Promise<readonly HistoryEntry[]> {
    const all = this.#store.db
      .selectFrom('history')
      .select(['action', 'params', 'result', 'success', 'created_at'])
      .where('session_id', '=', sessionId)
      .orderBy('id', 'desc')
    const rows = await (query === undefined ? all.limit(limit) : all).execute()
    const wanted = query?.toLowerCase()
    return rows
      .filter(({ action }) => wanted === undefined || action.toLowerCase().includes(wanted))
      .slice(0, limit)
      .map((row) => ({
        action: row.action,
        params: JSON.parse(row.params),
        result: row.result,
        success: row.success === 1,
        createdAt: row.created_at,
      }))
  }

  async addHistory(sessionId: string, entry: Omit<HistoryEntry, 'createdAt'>): Promise<void> {
    await this.#store.db
      .insertInto('history')
      .values({
        session_id: sessionId,
        action: storable(entry.action, historyCodeLengthMax * 5),
        params: JSON.stringify(entry.params ?? {}),
        result: entry.result === null ? null : storable(entry.result, historyCodeLengthMax),
        success: flag(entry.success),
        created_at: this.#now(),
      })
      .execute()
    this.#entries += 1
    if (this.#entries % pruneEveryRuns === 0) await pruneHistory(this.#store.db, sessionId)
  }
}

type Transaction = Parameters<Parameters<Store<KernelSchema>['transaction']>[0]>[0]

async function pruneLog(transaction: Transaction, ruleId: string): Promise<void> {
  const oldest = await transaction
    .selectFrom('rule_log')
    .select('id')
    .where('rule_id', '=', ruleId)
    .orderBy('id', 'desc')
    .offset(ruleLogKeptMax)
    .limit(1)
    .executeTakeFirst()
  if (!oldest) return
  await transaction.deleteFrom('rule_log').where('rule_id', '=', ruleId).where('id', '<=', oldest.id).execute()
}

function storedRule(row: RuleRow): RuleRow {
  return {
    ...row,
    action: storable(row.action, ruleCodeLengthMax * 2),
    source: row.source === null ? null : storable(row.source, ruleCodeLengthMax * 2),
    last_error: row.last_error === null ? null : storable(row.last_error, ruleLogDetailLengthMax),
  }
}
