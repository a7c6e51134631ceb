import type { NetworkName } from '../config.js'
import type { Foundation } from '../foundation.js'
import { measuredPerTurnMax, measuringEndsMs } from '../limits.js'
import type { Database } from '../records/schema.js'

const hourMs = 60 * 60_000

/** So long after a part was sent it is measured; a point that was missed is left out once the next one has come. */
const measuringPoints = [
  { due: '1h', from: hourMs, to: 24 * hourMs },
  { due: '24h', from: 24 * hourMs, to: 7 * 24 * hourMs },
  { due: '7d', from: 7 * 24 * hourMs, to: 7 * 24 * hourMs + measuringEndsMs },
] as const

/** In the place of a point: the network has it no longer, and is not asked again. */
export const gone = 'gone'

export interface DueMeasurement {
  readonly outboxId: number
  readonly position: number
  readonly due: string
  readonly remoteId: string
  readonly cid: string | null
  readonly followersAtPost: number | null
}

/** Sent parts whose point has come and is not measured yet, oldest first; each point is a range of the index by `sent_at`. */
export async function dueMeasurements(
  { store, clock }: Foundation,
  network: NetworkName,
): Promise<readonly DueMeasurement[]> {
  const now = clock.now()
  const all: DueMeasurement[] = []
  for (const { due, from, to } of measuringPoints) {
    all.push(...(await dueInRange(store.db, network, due, { after: now - to, until: now - from })))
  }
  return all.slice(0, measuredPerTurnMax)
}

function dueInRange(
  db: Database,
  network: NetworkName,
  due: string,
  { after, until }: { readonly after: number; readonly until: number },
): Promise<readonly DueMeasurement[]> {
  return db
    .selectFrom('outbox_parts as part')
    .innerJoin('outbox', 'outbox.id', 'part.outbox_id')
    .select((it) => [
      'part.outbox_id as outboxId',
      'part.position as position',
      it.val(due).as('due'),
      it.ref('part.remote_id').$notNull().as('remoteId'),
      'part.cid as cid',
      'outbox.followers_at_post as followersAtPost',
    ])
    .where('part.sent_at', '>', after)
    .where('part.sent_at', '<=', until)
    .where('part.remote_id', 'is not', null)
    .where('outbox.status', '=', 'posted')
    .where('outbox.network', '=', network)
    .where((it) =>
      it.not(
        it.exists(
          it
            .selectFrom('performance')
            .select('performance.due')
            .whereRef('performance.outbox_id', '=', 'part.outbox_id')
            .whereRef('performance.position', '=', 'part.position')
            .where('performance.due', 'in', [due, gone]),
        ),
      ),
    )
    .orderBy('part.sent_at')
    .limit(measuredPerTurnMax)
    .execute()
}
