import { expect, it } from 'vitest'
import { readTask } from '../../src/tasks/task-records.js'
import type { TaskRow } from '../../src/tasks/task-row.js'
import { daily, openDesk } from '../support/task-desk.js'

async function storedTask(more: object = {}): Promise<TaskRow> {
  await using desk = await openDesk()
  desk.hubTools = [{ name: 'web_search', inputSchema: { type: 'object' } }]
  const { task_id } = await desk.call('schedule_task', { ...daily, ...more })
  return await desk.row(task_id)
}

it('reads when a task runs, and what it calls', async () => {
  const task = readTask(await storedTask({ tool: 'web_search', args: { query: 'x' } }))
  if ('malformed' in task) throw new Error(task.malformed)
  expect(task.schedule).toEqual({ type: 'cron', pattern: '0 9 * * *', timeZone: 'Europe/Paris' })
  expect(task.call).toEqual({ tool: 'web_search', args: { query: 'x' } })
})

it('finds nothing wrong with a time that has passed since, nor with an interval that is too short by now', async () => {
  const once = readTask(await storedTask({ schedule_type: 'once', schedule_value: '2026-03-02T14:00:00' }))
  expect(once).toMatchObject({ schedule: { type: 'once', at: Date.parse('2026-03-02T13:00:00Z') } })
  const past = { schedule_type: 'once', schedule_value: '2025-01-01T00:00:00', allow_past: true }
  expect(readTask(await storedTask(past))).toHaveProperty('schedule')
  const row = await storedTask({ schedule_type: 'interval', schedule_value: '60000' })
  expect(readTask({ ...row, schedule_value: '1000' })).toMatchObject({
    schedule: { everyMs: 1000, anchor: row.anchor },
  })
})

it.each<[string, object]>([
  ['prompt', { prompt: '' }],
  ['schedule_type', { schedule_type: 'daily' }],
  ['schedule_value', { schedule_value: '61 * * * *' }],
  ['timezone', { timezone: 'Mars/X' }],
  ['context_mode', { context_mode: 'shared' }],
  ['missed', { missed: '' }],
  ['overlap', { overlap: 'never' }],
  ['jitter_ms', { jitter_ms: -1 }],
  ['anchor', { anchor: 9e15 }],
  ['next_fire', { next_fire: -9e15 }],
  ['schedule_value', { schedule_type: 'interval', schedule_value: '1' }],
  ['expect', { expect: 'all' }],
  ['deliver', { deliver: 'mail' }],
  ['tool', { tool: '' }],
  ['args', { tool: 'web_search', args: '[]' }],
  ['args', { tool: 'web_search', args: '{' }],
])('says that %s makes no sense: %j', async (column, wrong) => {
  const row = { ...(await storedTask()), ...wrong } as TaskRow
  expect(readTask(row)).toEqual({ malformed: expect.stringContaining(column) })
})
