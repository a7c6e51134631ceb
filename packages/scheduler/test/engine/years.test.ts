import { VirtualClock } from '@callboard/worker/testing'
import { describe, expect, it } from 'vitest'
import { slowOccurrences } from '../schedule/slow-occurrences.js'
import { openEngineRig } from '../support/engine-rig.js'

const patterns = ['30 2 * * *', '0,30 1 * * 0,6']

/** Every slot of two years becomes one run, on time, whatever the clocks of the zones do meanwhile. */
describe.each([
  ['2025-01-01T00:00:00Z', ['America/New_York', 'Europe/Paris', 'Australia/Lord_Howe', 'Africa/Casablanca']],
  ['2016-07-01T00:00:00Z', ['America/Sao_Paulo']],
])('the engine through two years from %s', (start, zones) => {
  it(`fires in ${zones.join(', ')} when the slow computation says`, async () => {
    const clock = new VirtualClock(start)
    await using rig = await openEngineRig({ clock })
    rig.runner.answer = () => ({ text: 'ok' })
    const tasks = zones.flatMap((timeZone) => patterns.map((pattern) => ({ type: 'cron', pattern, timeZone }) as const))
    const ids = new Map<string, (typeof tasks)[number]>()
    for (const schedule of tasks) ids.set(await rig.addTask({ schedule }), schedule)
    const from = clock.now()
    const to = from + 2 * 365 * 24 * 3_600_000
    await rig.follow(to)
    for (const [id, { pattern, timeZone }] of ids) {
      const runs = await rig.foundation.store.db
        .selectFrom('runs')
        .select(['scheduled_for', 'started_at', 'outcome'])
        .where('task_id', '=', id)
        .orderBy('scheduled_for')
        .execute()
      expect(runs.map(({ scheduled_for }) => scheduled_for)).toEqual(slowOccurrences(pattern, timeZone, from, to))
      expect(runs.every((run) => run.outcome === 'ok' && run.started_at === run.scheduled_for)).toBe(true)
    }
  }, 120_000)
})
