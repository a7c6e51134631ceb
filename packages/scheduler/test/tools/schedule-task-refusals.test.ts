import { describe, expect, it } from 'vitest'
import { type Desk, daily, openDesk } from '../support/task-desk.js'

describe('what schedule_task refuses', () => {
  const once = { schedule_type: 'once' }
  const interval = { schedule_type: 'interval' }
  it.each<[string, object, string]>([
    ['no prompt', { prompt: undefined }, 'prompt'],
    ['an empty prompt', { prompt: '  ' }, 'prompt'],
    ['a prompt of 100,001 characters', { prompt: 'x'.repeat(100_001) }, 'prompt'],
    ['half a surrogate pair', { prompt: '\ud800' }, 'prompt'],
    ['U+0000', { prompt: 'a\0b' }, 'prompt'],
    ['another type', { schedule_type: 'daily' }, 'schedule_type'],
    ['a value that is no string', { ...interval, schedule_value: 3_600_000 }, 'schedule_value'],
    ['an unknown parameter', { zone: 'UTC' }, ''],
    ['another context mode', { context_mode: 'shared' }, 'context_mode'],
    ['no fields', { schedule_value: '' }, 'schedule_value'],
    ['three fields', { schedule_value: '0 9 *' }, 'schedule_value'],
    ['four fields', { schedule_value: '0 9 * *' }, 'schedule_value'],
    ['six fields', { schedule_value: '0 0 9 * * *' }, 'schedule_value'],
    ['@daily', { schedule_value: '@daily' }, 'schedule_value'],
    ['a date as cron', { schedule_value: '2026-03-03T09:00:00' }, 'schedule_value'],
    ['? in cron', { schedule_value: '0 9 ? * *' }, 'schedule_value'],
    ['+ in cron', { schedule_value: '0 9 1 * +1' }, 'schedule_value'],
    ['minute 61', { schedule_value: '61 * * * *' }, 'schedule_value'],
    ['*/0', { schedule_value: '*/0 * * * *' }, 'schedule_value'],
    ['1/15', { schedule_value: '1/15 * * * *' }, 'schedule_value'],
    ['22-2', { schedule_value: '0 22-2 * * *' }, 'schedule_value'],
    ['31 February', { schedule_value: '0 0 31 2 *' }, 'schedule_value'],
    ...['10abc', '1e9', '0.5', '-5', '1h', '59999', '31622400001', ''].map((value): [string, object, string] => [
      `an interval of "${value}"`,
      { ...interval, schedule_value: value },
      'schedule_value',
    ]),
    ...[
      '2026-03-03',
      '2026-03-03T09:00',
      '2026-03-03 09:00:00',
      '2026-03-03T09:00:00.5',
      '2026-03-03T09:00:00Z',
      '2026-03-03T09:00:00+01:00',
      '2027-02-31T09:00:00',
      '2026-03-03T24:00:00',
      '2026-03-03T09:00:60',
      '2026-03-02T12:59:59',
    ].map((value): [string, object, string] => [
      `once at "${value}"`,
      { ...once, schedule_value: value },
      'schedule_value',
    ]),
    ...['EST5EDT,M3', 'IST-2', '+05:30', 'Mars/X', ''].map((timezone): [string, object, string] => [
      `the zone "${timezone}"`,
      { timezone },
      'timezone',
    ]),
    ['a long name', { name: 'x'.repeat(65) }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['another missed policy', { missed: 'some' }, 'missed'],
    ['another overlap policy', { overlap: 'queue' }, 'overlap'],
    ['a fraction of jitter', { jitter_ms: 0.5 }, 'jitter_ms'],
    ['negative jitter', { jitter_ms: -1 }, 'jitter_ms'],
    ['jitter above an hour', { jitter_ms: 3_600_001 }, 'jitter_ms'],
    ['jitter above half the gap', { ...interval, schedule_value: '60000', jitter_ms: 30_001 }, 'jitter_ms'],
    ['allow_past for cron', { allow_past: true }, 'allow_past'],
    ['another expect', { expect: 'ok' }, 'expect'],
    ['another deliver', { deliver: 'mail' }, 'deliver'],
    ['args without tool', { args: {} }, 'args'],
    ['args that are no object', { tool: 'web_search', args: [1] }, 'args'],
    ['args above 64 KiB', { tool: 'web_search', args: { q: 'x'.repeat(65_536) } }, 'args'],
    ['a long idempotency key', { idempotency_key: 'x'.repeat(129) }, 'idempotency_key'],
  ])('%s, and stores nothing', async (_what, wrong, parameter) => {
    await using desk = await openDesk()
    desk.hubTools = [{ name: 'web_search', inputSchema: { type: 'object' } }]
    const refusal = await desk.refused('schedule_task', { ...daily, ...wrong })
    expect(refusal).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(parameter) })
    expect(await tasksIn(desk)).toBe(0)
  })

  it('shows the value, cut at 80 characters', async () => {
    await using desk = await openDesk()
    const { message } = await desk.refused('schedule_task', { ...daily, schedule_value: '9'.repeat(200) })
    expect(message).toContain(`"${'9'.repeat(80)}…"`)
    desk.hubTools = [{ name: 'web_search', inputSchema: { type: 'object', required: ['query'] } }]
    const args = { q: '9'.repeat(200) }
    const refusal = await desk.refused('schedule_task', { ...daily, tool: 'web_search', args })
    expect(refusal.message).toBe(`args: web_search requires query (got {"q":"${'9'.repeat(74)}…)`)
  })
})

async function tasksIn({ foundation }: Desk): Promise<number> {
  const rows = await foundation.store.db.selectFrom('tasks').select('id').execute()
  return rows.length
}
