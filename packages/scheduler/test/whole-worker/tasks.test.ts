import { describe, expect, it } from 'vitest'
import { openWholeWorker } from '../support/whole-worker.js'
import { hour, main, minute, often, period, soon, tasksOf } from './stories.js'

describe('a task', () => {
  it('is listed as soon as it was answered, under the id that was answered', async () => {
    await using whole = await openWholeWorker()
    const { task_id, next_fires } = await whole.ask('lab', 'schedule_task', often)
    expect(await tasksOf(whole)).toMatchObject([
      { task_id, next_fires, status: 'active', group: 'lab', running: false },
    ])
    expect(await tasksOf(whole, 'press')).toEqual([])
    expect(await tasksOf(whole, 'main')).toHaveLength(1)
  })

  it('for once that outlasts many rounds of the engine runs once', async () => {
    await using whole = await openWholeWorker()
    await whole.ask('lab', 'schedule_task', soon)
    await whole.pass(9 * minute)
    expect(whole.agents.started).toHaveLength(1)
    whole.agents.open[0]!.finish({ text: 'done' })
    await whole.pass(hour)
    expect(whole.agents.started).toHaveLength(1)
    expect(await tasksOf(whole)).toMatchObject([{ status: 'completed', last_run: { outcome: 'ok' } }])
  })

  it('that is cancelled while it runs stops; its late result is ignored, its history kept', async () => {
    await using whole = await openWholeWorker()
    const { task_id } = await whole.ask('lab', 'schedule_task', { ...soon, deliver: 'log' })
    const [run] = whole.agents.open
    expect(await whole.ask('lab', 'cancel_task', { task_id })).toMatchObject({ status: 'cancelled', changed: true })
    expect(run!.signal.reason).toBe('cancelled')
    expect(whole.holdsToken(run!.request)).toBe(false)
    await whole.pass(hour)
    expect(await tasksOf(whole)).toEqual([])
    expect(await whole.runs()).toMatchObject([{ task_id, outcome: 'cancelled', attempts: 1 }])
    expect(await whole.events('message_logged', 'run_retry', 'run_fenced')).toEqual([])
  })

  it.each(['pause_task', 'cancel_task'])('of which a run waits for its turn does not start after %s', async (tool) => {
    await using whole = await openWholeWorker({ config: { max_concurrent_runs: 1 } })
    await whole.ask('press', 'schedule_task', soon)
    const { task_id } = await whole.ask('lab', 'schedule_task', soon)
    expect((await whole.runs()).map(({ state }) => state)).toEqual(['queued', 'running'])
    await whole.ask('lab', tool, { task_id })
    whole.agents.open[0]!.finish()
    await whole.pass(hour)
    expect(whole.agents.started.map(({ group }) => group.folder)).toEqual(['press'])
  })

  it.each([
    ['completed', {}],
    ['failed', { error: { class: 'exit', text: 'It exited with code 1.', transient: true } }],
  ] as const)(
    'for once that is paused while it runs has %s with that run: nothing is tried again',
    async (status, report) => {
      await using whole = await openWholeWorker()
      const { task_id } = await whole.ask('lab', 'schedule_task', soon)
      const paused = await whole.ask('lab', 'pause_task', { task_id })
      expect(paused).toMatchObject({ status: 'paused', running_run: expect.stringMatching(/^run_/) })
      whole.agents.open[0]!.finish(report)
      await whole.pass(5 * minute)
      expect(await tasksOf(whole)).toMatchObject([{ task_id, status, pause_reason: null }])
      expect(whole.agents.started).toHaveLength(1)
    },
  )

  it('that is paused while it runs leaves no retry for the time when it is resumed', async () => {
    await using whole = await openWholeWorker()
    const { task_id } = await whole.ask('lab', 'schedule_task', often)
    await whole.pass(period)
    await whole.ask('lab', 'pause_task', { task_id })
    whole.agents.open[0]!.finish({ error: { class: 'exit', text: 'It exited with code 1.', transient: true } })
    await whole.pass(minute)
    await whole.ask('lab', 'resume_task', { task_id })
    await whole.pass(5 * minute)
    expect(await whole.runs()).toMatchObject([
      { outcome: 'failed', attempts: 1, error: expect.stringContaining('paused') },
    ])
  })

  it('that was resumed never runs what the pause has swallowed', async () => {
    await using whole = await openWholeWorker()
    whole.agents.answer = () => ({})
    const { task_id } = await whole.ask('lab', 'schedule_task', often)
    await whole.ask('lab', 'pause_task', { task_id })
    await whole.pass(5.5 * period)
    const { next_fires } = await whole.ask('lab', 'resume_task', { task_id })
    expect(next_fires).toMatchObject([{ utc: '2026-03-02T13:00:00Z' }, {}, {}])
    await whole.pass(period)
    expect((await whole.runs()).map(({ scheduled_for }) => scheduled_for)).toEqual(['2026-03-02T13:00:00.000Z'])
    expect(await whole.events('run_missed')).toEqual([])
  })

  it('keeps its zone when that of the system is another one later', async () => {
    await using whole = await openWholeWorker({ config: { scheduler_tz: 'Asia/Tokyo' } })
    const daily = { ...often, schedule_type: 'cron', schedule_value: '0 9 * * *' }
    await whole.ask('lab', 'schedule_task', daily)
    const [before] = await tasksOf(whole)
    const { clock, dataDirectory } = whole
    await using later = await openWholeWorker({ config: { scheduler_tz: 'America/New_York' }, clock, dataDirectory })
    expect(await tasksOf(later)).toEqual([before])
    expect(before).toMatchObject({ timezone: 'Asia/Tokyo', next_fires: [{ utc: '2026-03-03T00:00:00Z' }, {}, {}] })
    expect(await later.ask('lab', 'schedule_task', daily)).toMatchObject({ timezone: 'America/New_York' })
  })

  it('by the same name is the same task with other times', async () => {
    await using whole = await openWholeWorker()
    whole.agents.answer = () => ({})
    const { task_id } = await whole.ask('lab', 'schedule_task', { ...often, name: 'look' })
    await whole.pass(period)
    const other = { ...often, name: 'look', schedule_value: String(3 * period) }
    expect(await whole.ask('lab', 'schedule_task', other)).toMatchObject({ task_id, created: false })
    await whole.pass(2 * period)
    expect(whole.agents.started).toHaveLength(1)
    await whole.pass(period)
    expect(whole.agents.started).toHaveLength(2)
  })

  it('whose row makes no sense is paused once, with a notice, and the others go on', async () => {
    await using whole = await openWholeWorker()
    whole.agents.answer = () => ({})
    const { task_id } = await whole.ask('lab', 'schedule_task', often)
    await whole.ask('press', 'schedule_task', often)
    await whole.store.db
      .updateTable('tasks')
      .set({ schedule_value: 'never' })
      .where('id', '=', String(task_id))
      .execute()
    await whole.pass(3 * period)
    expect(await tasksOf(whole)).toMatchObject([{ status: 'paused', pause_reason: 'auto', next_fires: [] }])
    expect(whole.agents.started.map(({ group }) => group.folder)).toEqual(['press', 'press', 'press'])
    expect(whole.transport.mails.map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^\[science\] The task/),
    ])
    expect(await whole.events('task_auto_paused')).toHaveLength(1)
  })
})

describe('slots that nobody was there for', () => {
  it.each([
    ['latest', 1],
    ['skip', 0],
    ['all', 24],
  ] as const)('%s: after three days %i of 72 slots run, and say how late', async (missed, count) => {
    const whole = await openWholeWorker()
    await whole.ask('lab', 'schedule_task', { ...often, schedule_value: String(hour), missed })
    const { clock, dataDirectory } = whole
    await whole.stop()
    clock.advance(3 * 24 * hour + 2 * minute - minute)
    await using later = await openWholeWorker({ clock, dataDirectory, answer: () => ({}) })
    await later.pass(2 * minute)
    expect(later.agents.started).toHaveLength(count)
    for (const { prompt } of later.agents.started) expect(prompt).toMatch(/^Lateness: .* late$/m)
    const missedRuns = (await later.runs()).filter(({ outcome }) => outcome === 'missed')
    expect(missedRuns).toHaveLength(72 - count)
    await later.pass(hour)
    expect(later.agents.started).toHaveLength(count + 1)
    expect(later.agents.started.at(-1)!.prompt).toContain('Lateness: on time')
  })
})

describe('a group that is removed', () => {
  it('has its tasks paused and told of once, and its runs call nothing any more', async () => {
    await using whole = await openWholeWorker()
    await whole.ask('lab', 'schedule_task', often)
    await whole.ask('lab', 'schedule_task', { ...soon, context_mode: 'isolated' })
    const [run] = whole.agents.open
    await whole.writeGroups([main({}), { folder: 'press', tag: 'press', name: 'Press' }])
    expect(await whole.scheduler.groups.reload()).toBe('changed')
    expect(await whole.scheduler.groups.reload()).toBe('changed')
    expect(
      (await whole.call(whole.asRun(run!.request), 'send_message', { text: 'I am still here.' })).value,
    ).toMatchObject({
      code: 'FORBIDDEN',
    })
    run!.finish()
    await whole.pass(3 * period)
    expect(whole.agents.started).toHaveLength(1)
    expect(await tasksOf(whole, 'main')).toMatchObject([
      { status: 'paused', pause_reason: 'group_removed' },
      { status: 'completed' },
    ])
    expect(await whole.events('task_paused')).toHaveLength(2)
    expect(whole.transport.mails.map(({ subject }) => subject)).toEqual([
      expect.stringContaining('The group Lab (lab) was removed'),
    ])
  })
})
