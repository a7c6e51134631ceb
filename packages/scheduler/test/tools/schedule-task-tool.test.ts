import { describeBothDatabases } from '@callboard/store/testing'
import { describe, expect, it } from 'vitest'
import { ada, admin, type Desk, daily, openDesk } from '../support/task-desk.js'

const minute = 60_000
const hour = 60 * minute

async function tasksIn({ foundation }: Desk): Promise<number> {
  const rows = await foundation.store.db.selectFrom('tasks').select('id').execute()
  return rows.length
}

describeBothDatabases('schedule_task', (database) => {
  it('answers with the id, the zone and the next three fires, once the task is stored; list_tasks has it at once', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const reply = await desk.call('schedule_task', daily)
    expect(reply).toMatchObject({
      task_id: expect.stringMatching(/^task_[0-9A-HJKMNP-TV-Z]{26}$/),
      created: true,
      status: 'active',
      schedule_type: 'cron',
      schedule_value: '0 9 * * *',
      timezone: 'Europe/Paris',
      context_mode: 'group',
      fires_per_day: 1,
      warnings: [],
    })
    expect(reply.next_fires.map(({ utc }) => Date.parse(utc))).toEqual(
      ['2026-03-03', '2026-03-04', '2026-03-05'].map((day) => Date.parse(`${day}T08:00:00Z`)),
    )
    expect(reply.next_fires[0]!.local).toContain('09:00')
    expect(desk.scheduling.wakes).toBe(1)
    const { tasks } = await desk.call('list_tasks')
    expect(tasks).toMatchObject([{ task_id: reply.task_id, status: 'active', next_fires: reply.next_fires }])
    expect(await desk.activity()).toEqual(['task_created'])
  })

  it('stores what was said, and the defaults for the rest', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const { task_id } = await desk.call('schedule_task', daily)
    expect(await desk.row(task_id)).toMatchObject({
      group_folder: 'lab',
      name: null,
      prompt: 'Read the papers.',
      context_mode: 'group',
      missed: 'latest',
      overlap: 'skip',
      jitter_ms: 0,
      expect: 'any',
      deliver: 'none',
      tool: null,
      args: null,
      depth: 0,
      failures: 0,
      version: 1,
      created_by: 'agent:ada',
      creator_group: 'lab',
      next_fire: Date.parse('2026-03-03T08:00:00Z'),
      due_at: Date.parse('2026-03-03T08:00:00Z'),
    })
    const rest = {
      context_mode: 'isolated',
      missed: 'all',
      overlap: 'queue_one',
      expect: 'message',
      deliver: 'digest',
      name: 'papers',
      timezone: 'Asia/Tokyo',
    }
    const other = await desk.call('schedule_task', { ...daily, ...rest })
    expect(await desk.row(other.task_id)).toMatchObject(rest)
  })

  it('counts 100 live tasks of a group, and makes room when one is cancelled', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const ids: string[] = []
    for (let n = 0; n < 100; n += 1) {
      if (n === 50) desk.foundation.clock.advance(hour)
      ids.push((await desk.call('schedule_task', daily)).task_id)
    }
    desk.foundation.clock.advance(hour)
    await desk.call('pause_task', { task_id: ids[0] })
    expect(await desk.refused('schedule_task', daily)).toMatchObject({ code: 'RATE_LIMITED', retryable: true })
    expect(await tasksIn(desk)).toBe(100)
    expect((await desk.call('schedule_task', daily, admin(desk.foundation))).created).toBe(true)
    await desk.call('cancel_task', { task_id: ids[1] })
    expect((await desk.call('schedule_task', daily)).created).toBe(true)
  })

  it('takes 60 new tasks of a group in an hour, cancelled or not, and says when the next may come', async () => {
    await using desk = await openDesk({ location: await database.create() })
    for (let n = 0; n < 60; n += 1) {
      const { task_id } = await desk.call('schedule_task', daily)
      await desk.call('cancel_task', { task_id })
    }
    desk.foundation.clock.advance(10 * minute)
    const refusal = await desk.refused('schedule_task', daily)
    expect(refusal).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 50 * minute })
    desk.foundation.clock.advance(refusal.retryAfterMs)
    expect((await desk.call('schedule_task', daily)).created).toBe(true)
  })

  it('changes the task of that name: same id and history, new fires, the old slot is gone', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const first = await desk.call('schedule_task', { ...daily, name: 'papers' })
    const { task_id } = first
    const waiting = await desk.addRun({ task_id, state: 'waiting' })
    const done = await desk.addRun({ task_id, scheduled_for: 1, state: 'ended', outcome: 'ok' })
    desk.foundation.clock.advance(hour)
    const second = await desk.call('schedule_task', { ...daily, name: 'papers', schedule_value: '30 10 * * *' })
    expect(second).toMatchObject({ task_id, created: false, status: 'active', schedule_value: '30 10 * * *' })
    expect(await desk.row(task_id)).toMatchObject({ version: 2, next_fire: Date.parse('2026-03-03T09:30:00Z') })
    expect(await desk.run(waiting)).toMatchObject({ state: 'ended', outcome: 'cancelled' })
    expect(await desk.run(done)).toMatchObject({ outcome: 'ok' })
    expect(await tasksIn(desk)).toBe(1)
    expect(await desk.activity()).toEqual(['task_created', 'task_updated'])
  })

  it('gives the name of a cancelled task to a new one', async () => {
    await using desk = await openDesk({ location: await database.create() })
    const { task_id } = await desk.call('schedule_task', { ...daily, name: 'papers' })
    await desk.call('cancel_task', { task_id })
    const again = await desk.call('schedule_task', { ...daily, name: 'papers' })
    expect(again).toMatchObject({ created: true })
    expect(again.task_id).not.toBe(task_id)
  })
})

describe('schedule_task by name', () => {
  it('lets a task start itself anew, also while it runs, but not without end', async () => {
    await using desk = await openDesk()
    const now = {
      prompt: 'p',
      schedule_type: 'once',
      schedule_value: '2026-03-02T12:00:00',
      allow_past: true,
      name: 'me',
    }
    const { task_id } = await desk.call('schedule_task', now)
    const runAndStartAnew = async (slot: number) => {
      await desk.foundation.store.db.updateTable('tasks').set({ next_fire: null, due_at: null }).execute()
      await desk.addRun({ task_id, state: 'running', scheduled_for: slot })
      return desk.call('schedule_task', now)
    }
    for (let slot = 1; slot < 60; slot += 1) await runAndStartAnew(slot)
    expect(await desk.row(task_id)).toMatchObject({ status: 'active', next_fire: desk.foundation.clock.now() })
    await expect(runAndStartAnew(60)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: hour })
    desk.foundation.clock.advance(hour)
    expect(await desk.call('schedule_task', now)).toMatchObject({ task_id, created: false })
  })

  it('keeps the next slot and what waits when the schedule is declared again as it was', async () => {
    await using desk = await openDesk()
    const hourly = { prompt: 'p', schedule_type: 'interval', schedule_value: String(hour), name: 'hourly' }
    const { task_id } = await desk.call('schedule_task', hourly)
    const { next_fire, anchor } = await desk.row(task_id)
    const waiting = await desk.addRun({ task_id, state: 'waiting' })
    desk.foundation.clock.advance(45 * minute)
    await desk.call('schedule_task', { ...hourly, prompt: 'q' })
    expect(await desk.row(task_id)).toMatchObject({ prompt: 'q', next_fire, anchor, version: 2 })
    expect(await desk.run(waiting)).toMatchObject({ state: 'waiting' })
  })

  it('closes what waits when it would run otherwise now', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', { ...daily, name: 'papers' })
    const waiting = await desk.addRun({ task_id })
    await desk.call('schedule_task', { ...daily, name: 'papers', context_mode: 'isolated' })
    expect(await desk.run(waiting)).toMatchObject({ outcome: 'cancelled' })
  })

  it('replaces everything: what is not said again is as by default', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', { ...daily, name: 'papers', deliver: 'notify' })
    await desk.call('schedule_task', { ...daily, name: 'papers' })
    expect(await desk.row(task_id)).toMatchObject({ deliver: 'none' })
  })

  it('leaves a paused task paused, and says so', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', { ...daily, name: 'papers' })
    await desk.call('pause_task', { task_id })
    const reply = await desk.call('schedule_task', { ...daily, name: 'papers', schedule_value: '0 10 * * *' })
    expect(reply).toMatchObject({
      status: 'paused',
      next_fires: [],
      warnings: [expect.stringContaining('resume_task')],
    })
    expect(await desk.row(task_id)).toMatchObject({ next_fire: null, due_at: null })
  })

  it('starts a task anew that has ended', async () => {
    await using desk = await openDesk()
    const once = { prompt: 'p', schedule_type: 'once', schedule_value: '2026-03-02T14:00:00', name: 'later' }
    const { task_id } = await desk.call('schedule_task', once)
    await desk.foundation.store.db
      .updateTable('tasks')
      .set({ status: 'failed', ended_at: 5, failures: 1, next_fire: null, due_at: null })
      .execute()
    const reply = await desk.call('schedule_task', { ...once, schedule_value: '2026-03-02T15:00:00' })
    expect(reply).toMatchObject({ task_id, created: false, status: 'active' })
    expect(await desk.row(task_id)).toMatchObject({ failures: 0, ended_at: null })
    expect((await desk.row(task_id)).next_fire).toBe(Date.parse('2026-03-02T14:00:00Z'))
  })

  it('starts a task anew that has ended, at its old time too, should the clock have been set back', async () => {
    await using desk = await openDesk()
    const once = { prompt: 'p', schedule_type: 'once', schedule_value: '2026-03-02T14:00:00', name: 'later' }
    const { task_id } = await desk.call('schedule_task', once)
    const { next_fire } = await desk.row(task_id)
    await desk.foundation.store.db
      .updateTable('tasks')
      .set({ status: 'completed', ended_at: 5, next_fire: null, due_at: null })
      .execute()
    expect(await desk.call('schedule_task', once)).toMatchObject({ status: 'active' })
    expect(await desk.row(task_id)).toMatchObject({ next_fire, ended_at: null })
  })

  it('is unique in a group, not between groups', async () => {
    await using desk = await openDesk()
    const mine = await desk.call('schedule_task', { ...daily, name: 'papers' })
    const theirs = await desk.call('schedule_task', { ...daily, name: 'papers' }, admin(desk.foundation))
    expect(theirs).toMatchObject({ created: true })
    expect(theirs.task_id).not.toBe(mine.task_id)
  })

  it('belongs to whoever declared it last, with the depth of that run', async () => {
    await using desk = await openDesk()
    const { task_id } = await desk.call('schedule_task', { ...daily, name: 'papers' })
    const bob = ada(desk.foundation, { principal: 'agent:bob', triggerDepth: 2 })
    await desk.call('schedule_task', { ...daily, name: 'papers', prompt: 'Mine.' }, bob)
    expect(await desk.row(task_id)).toMatchObject({ created_by: 'agent:bob', depth: 2 })
  })
})

describe('the group of a task', () => {
  it.each(['lab', 'science', 'email:tag:science', 'Science'])('an admin names it as %s', async (target) => {
    await using desk = await openDesk()
    const reply = await desk.call('schedule_task', { ...daily, target_chat_id: target }, admin(desk.foundation))
    expect(await desk.row(reply.task_id)).toMatchObject({ group_folder: 'lab', creator_group: 'main' })
  })

  it('is unknown: an admin is told the groups there are', async () => {
    await using desk = await openDesk()
    for (const target of ['nobody', 'email:tag:lab', '../lab']) {
      const refusal = await desk.refused('schedule_task', { ...daily, target_chat_id: target }, admin(desk.foundation))
      expect(refusal).toMatchObject({ code: 'NOT_FOUND', hint: expect.stringContaining('lab (tag science)') })
    }
  })

  it('may be named by others only when it is their own; another and an unknown one are refused in the same words', async () => {
    await using desk = await openDesk()
    expect((await desk.call('schedule_task', { ...daily, target_chat_id: 'lab' })).created).toBe(true)
    const foreign = await desk.refused('schedule_task', { ...daily, target_chat_id: 'main' })
    expect(foreign).toMatchObject({ code: 'FORBIDDEN' })
    expect(await desk.refused('schedule_task', { ...daily, target_chat_id: 'nobody' })).toEqual(foreign)
    expect(await tasksIn(desk)).toBe(1)
  })

  it('gives the zone where it has one and none is said; a later change of the system zone moves nothing', async () => {
    await using desk = await openDesk({ timeZone: 'Asia/Tokyo' })
    const boss = admin(desk.foundation)
    const shop = await desk.call('schedule_task', { ...daily, target_chat_id: 'shop' }, boss)
    const lab = await desk.call('schedule_task', { ...daily, target_chat_id: 'lab' }, boss)
    const said = await desk.call('schedule_task', { ...daily, target_chat_id: 'shop', timezone: 'Europe/London' }, boss)
    expect([shop.timezone, lab.timezone, said.timezone]).toEqual(['America/New_York', 'Asia/Tokyo', 'Europe/London'])
    expect(await desk.row(shop.task_id)).toMatchObject({ next_fire: Date.parse('2026-03-02T14:00:00Z') })
    expect(await desk.row(lab.task_id)).toMatchObject({ timezone: 'Asia/Tokyo' })
  })

  it('without a runner: a warning, unless the task calls a tool', async () => {
    await using desk = await openDesk()
    const boss = admin(desk.foundation)
    desk.hubTools = [{ name: 'web_search', inputSchema: { type: 'object' } }]
    const toShop = { ...daily, target_chat_id: 'shop' }
    expect(await desk.call('schedule_task', toShop, boss)).toMatchObject({
      warnings: [expect.stringContaining('no runner')],
      text: expect.stringContaining('no runner'),
    })
    expect((await desk.call('schedule_task', { ...toShop, tool: 'web_search' }, boss)).warnings).toEqual([])
  })
})

describe('times of a task', () => {
  it('once in the past runs now where that is allowed', async () => {
    await using desk = await openDesk()
    const once = { prompt: 'p', schedule_type: 'once', schedule_value: '2025-01-01T00:00:00', allow_past: true }
    const reply = await desk.call('schedule_task', once)
    const now = desk.foundation.clock.now()
    expect(await desk.row(reply.task_id)).toMatchObject({ next_fire: now, due_at: now })
    expect(reply.next_fires.map(({ utc }) => Date.parse(utc))).toEqual([now])
  })

  it('60 days away is a task like any other', async () => {
    await using desk = await openDesk()
    const once = { prompt: 'p', schedule_type: 'once', schedule_value: '2026-05-01T09:00:00' }
    const reply = await desk.call('schedule_task', once)
    expect(await desk.row(reply.task_id)).toMatchObject({ due_at: Date.parse('2026-05-01T07:00:00Z') })
  })

  it('an interval counts from now', async () => {
    await using desk = await openDesk()
    const reply = await desk.call('schedule_task', { prompt: 'p', schedule_type: 'interval', schedule_value: '90000' })
    const now = desk.foundation.clock.now()
    expect(await desk.row(reply.task_id)).toMatchObject({ anchor: now, next_fire: now + 90_000 })
    expect(reply.fires_per_day).toBe(960)
  })

  it('jitter delays when it is due, not the slot, nor what is shown', async () => {
    await using desk = await openDesk()
    const { task_id, next_fires } = await desk.call('schedule_task', { ...daily, jitter_ms: hour })
    const { next_fire, due_at } = await desk.row(task_id)
    expect(next_fire).toBe(Date.parse('2026-03-03T08:00:00Z'))
    expect(due_at! - next_fire!).toBeGreaterThan(0)
    expect(due_at! - next_fire!).toBeLessThan(hour)
    expect(Date.parse(next_fires[0]!.utc)).toBe(next_fire)
  })

  it('more than 24 fires a day give a warning', async () => {
    await using desk = await openDesk()
    const hourly = await desk.call('schedule_task', { ...daily, schedule_value: '0 * * * *' })
    const often = await desk.call('schedule_task', { ...daily, schedule_value: '*/30 * * * *' })
    expect([hourly.warnings, often.warnings]).toEqual([[], [expect.stringContaining('48')]])
  })

  it('a shown fire that a clock change touches gives a warning', async () => {
    await using desk = await openDesk()
    desk.foundation.clock.set('2026-03-28T12:00:00Z')
    const { warnings } = await desk.call('schedule_task', { ...daily, schedule_value: '30 2 * * *' })
    expect(warnings).not.toEqual([])
  })
})

describe('depth', () => {
  it('is that of the run that made the task', async () => {
    await using desk = await openDesk()
    const deep = ada(desk.foundation, { triggerDepth: 3 })
    const { task_id } = await desk.call('schedule_task', daily, deep)
    expect(await desk.row(task_id)).toMatchObject({ depth: 3 })
  })
})
