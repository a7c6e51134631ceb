import type { NetworkName } from '../config.js'
import type { ActionType, Database } from '../records/schema.js'
import { gone } from './due-measurements.js'

/** An item that was measured: its first post's newest measurement. */
export interface MeasuredItem {
  readonly action: ActionType
  readonly score: number
}

interface MeasuredQuery {
  readonly network: NetworkName
  /** First posts that were sent since then; UTC ms. */
  readonly since?: number
  /** Posts of our own on that topic in that format. */
  readonly about?: { readonly topic: string; readonly format: string | null }
}

/** One row for each item, whichever of its measurements is the newest. */
export function newestMeasurements(db: Database, query: MeasuredQuery): Promise<readonly MeasuredItem[]> {
  const { network, since, about } = query
  let rows = db
    .selectFrom('performance as measured')
    .innerJoin('outbox_parts as part', (join) =>
      join.onRef('part.outbox_id', '=', 'measured.outbox_id').onRef('part.position', '=', 'measured.position'),
    )
    .innerJoin('outbox', 'outbox.id', 'measured.outbox_id')
    .innerJoin('approval_queue as item', 'item.id', 'outbox.approval_id')
    .select(['item.action_type as action', 'measured.score as score'])
    .where('item.network', '=', network)
    .where('measured.position', '=', 0)
    .where('measured.due', '!=', gone)
    .where((it) =>
      it.not(
        it.exists(
          it
            .selectFrom('performance as later')
            .select('later.due')
            .whereRef('later.outbox_id', '=', 'measured.outbox_id')
            .whereRef('later.position', '=', 'measured.position')
            .whereRef('later.measured_at', '>', 'measured.measured_at')
            .where('later.due', '!=', gone),
        ),
      ),
    )
  if (since !== undefined) rows = rows.where('part.sent_at', '>=', since)
  if (about === undefined) return rows.execute()
  return rows
    .where('item.action_type', '!=', 'reply')
    .where('item.topic', '=', about.topic)
    .where('item.archetype', about.format === null ? 'is' : '=', about.format)
    .execute()
}

/** 0 where there is none. */
export function averageScore(items: readonly { readonly score: number }[]): number {
  return items.length === 0 ? 0 : items.reduce((sum, { score }) => sum + score, 0) / items.length
}
