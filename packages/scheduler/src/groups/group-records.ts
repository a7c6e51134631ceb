import { flag, type Store } from '@callboard/store'
import { recordActivity } from '../activity/record-activity.js'
import type { Scheduling } from '../engine/scheduling.js'
import type { Outbox } from '../mail/outbox.js'
import type { Messages } from '../messages/messages.js'
import type { Database, SchedulerSchema } from '../records/schema.js'
import type { Group } from './group.js'

/** What a change of the groups sets in motion elsewhere. */
export interface GroupChangeEffects {
  readonly scheduling: Pick<Scheduling, 'closeRuns' | 'wake'>
  readonly messages: Messages
  readonly outbox: Pick<Outbox, 'wake'>
}

export interface GroupChange {
  readonly store: Store<SchedulerSchema>
  /** UTC ms. */
  readonly now: number
  readonly groups: readonly Group[]
  readonly effects: GroupChangeEffects
}

interface GroupRow {
  readonly folder: string
  readonly tag: string | null
  readonly name: string
  readonly is_admin: 0 | 1
  readonly removed_at: number | null
}

/** Makes the table say what the groups are now. Groups that left keep their row, since their history refers to it. */
export async function storeGroups(change: GroupChange): Promise<void> {
  const { store, effects } = change
  await store.transaction(async (tx) => {
    const rows: readonly GroupRow[] = await tx.selectFrom('groups').selectAll().execute()
    const wanted = new Map(change.groups.map((group) => [group.folder, group]))
    await freeChangedTags(tx, rows, wanted)
    for (const group of change.groups) {
      const row = rows.find(({ folder }) => folder === group.folder)
      await storeGroup(tx, group, row, change)
    }
    for (const row of rows) {
      if (row.removed_at === null && !wanted.has(row.folder)) await removeGroup(tx, row, change)
    }
  })
  effects.scheduling.wake()
  effects.outbox.wake()
}

/** Two groups may have swapped their tags, which no order of updates could store. */
async function freeChangedTags(
  tx: Database,
  rows: readonly GroupRow[],
  wanted: ReadonlyMap<string, Group>,
): Promise<void> {
  for (const { folder, tag } of rows) {
    if (tag === null || wanted.get(folder)?.tag === tag) continue
    await tx.updateTable('groups').set({ tag: null }).where('folder', '=', folder).execute()
  }
}

async function storeGroup(tx: Database, group: Group, row: GroupRow | undefined, { now }: GroupChange): Promise<void> {
  const { folder, tag, name, isAdmin } = group
  const values = { tag, name, is_admin: flag(isAdmin), removed_at: null }
  if (row === undefined) {
    await tx
      .insertInto('groups')
      .values({ folder, ...values })
      .execute()
    return recordChange(tx, folder, now, `The group ${name} was registered with the tag ${tag}.`)
  }
  const isSame = row.removed_at === null && row.tag === tag && row.name === name && row.is_admin === flag(isAdmin)
  if (isSame) return
  await tx.updateTable('groups').set(values).where('folder', '=', folder).execute()
  const what = row.removed_at === null ? 'changed' : 'is back; its tasks stay paused until they are resumed'
  await recordChange(tx, folder, now, `The group ${name} with the tag ${tag} ${what}.`, { tag, name, admin: isAdmin })
}

async function removeGroup(tx: Database, { folder, name }: GroupRow, change: GroupChange): Promise<void> {
  const { now, groups, effects } = change
  await tx.updateTable('groups').set({ tag: null, is_admin: 0, removed_at: now }).where('folder', '=', folder).execute()
  const paused = await pauseTasks(tx, folder, now)
  await closeWaitingRuns(tx, folder, effects)
  const text = `The group ${name} (${folder}) was removed from the groups file; ${tasksPaused(paused)}.`
  await recordChange(tx, folder, now, text, { paused_tasks: paused })
  const teller = groups.find(({ isAdmin }) => isAdmin)!
  await effects.messages.post(tx, { group: teller.folder, depth: 0, priority: 'notify', text, isNotice: true })
}

/** How many were active. */
async function pauseTasks(tx: Database, folder: string, now: number): Promise<number> {
  const active = await tx
    .selectFrom('tasks')
    .select('id')
    .where('group_folder', '=', folder)
    .where('status', '=', 'active')
    .execute()
  await tx
    .updateTable('tasks')
    .set({ status: 'paused', pause_reason: 'group_removed', next_fire: null, due_at: null })
    .where('group_folder', '=', folder)
    .where('status', '=', 'active')
    .execute()
  for (const { id } of active) {
    const summary = 'The task was paused: its group was removed.'
    await recordActivity(tx, { at: now, type: 'task_paused', group: folder, taskId: id, summary })
  }
  return active.length
}

/** Of all its tasks: a `once` task is over while its run still waits. What runs already goes on to its end. */
async function closeWaitingRuns(tx: Database, folder: string, { scheduling }: GroupChangeEffects): Promise<void> {
  const waiting = await tx
    .selectFrom('runs')
    .select('task_id')
    .distinct()
    .where('state', 'in', ['queued', 'waiting'])
    .where('group_folder', '=', folder)
    .where('task_id', 'is not', null)
    .execute()
  const text = 'The group was removed before this run had started.'
  for (const { task_id } of waiting) await scheduling.closeRuns(tx, task_id!, { text, running: false })
}

function tasksPaused(count: number): string {
  if (count === 0) return 'it had no active task'
  return count === 1 ? 'its task is paused' : `its ${count} tasks are paused`
}

async function recordChange(
  tx: Database,
  group: string,
  at: number,
  summary: string,
  details: { readonly [key: string]: unknown } = {},
): Promise<void> {
  await recordActivity(tx, { at, type: 'group_changed', group, summary, details })
}
