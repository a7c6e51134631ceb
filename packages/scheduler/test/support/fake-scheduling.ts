import type { Scheduling } from '../../src/engine/scheduling.js'

/** The engine as task tools see it: what it closes is closed in the database, nothing ever starts. */
export class FakeScheduling implements Pick<Scheduling, 'closeRuns' | 'redrive' | 'wake'> {
  wakes = 0

  wake = (): void => {
    this.wakes += 1
  }

  closeRuns: Scheduling['closeRuns'] = async (db, taskId, { text, running }) => {
    const { numUpdatedRows } = await db
      .updateTable('runs')
      .set({ state: 'ended', outcome: 'cancelled', error: text })
      .where('task_id', '=', taskId)
      .where('state', 'in', running ? ['queued', 'waiting', 'running'] : ['queued', 'waiting'])
      .executeTakeFirstOrThrow()
    return { closed: Number(numUpdatedRows) }
  }

  redrive: Scheduling['redrive'] = async (db, runId) => {
    const { numUpdatedRows } = await db
      .updateTable('runs')
      .set({ state: 'queued', outcome: null })
      .where('id', '=', runId)
      .where('outcome', '=', 'dead')
      .executeTakeFirstOrThrow()
    return Number(numUpdatedRows) === 0 ? undefined : 'queued'
  }
}
