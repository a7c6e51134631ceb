import { describeBothDatabases } from '@callboard/store/testing'
import { describe, expect, it } from 'vitest'
import type { RunReport } from '../../src/runners/runner.js'
import { openEngineRig, settle } from '../support/engine-rig.js'

const minute = 60_000
const day = 24 * 60 * minute
const broken: Partial<RunReport> = { error: { class: 'exit', text: 'It ended with code 1.', transient: true } }

describe('an attempt that fails', () => {
  it('is retried after a growing pause, then the slot is dead and the series goes on', async () => {
    await using rig = await openEngineRig()
    rig.runner.answer = () => broken
    const { clock } = rig.foundation
    const anchor = clock.now()
    const id = await rig.addTask({ schedule: { type: 'interval', everyMs: 60 * minute, anchor, timeZone: 'UTC' } })
    await rig.runUntil(anchor + 119 * minute)
    expect(await rig.runs(id)).toMatchObject([{ outcome: 'dead', attempts: 3 }])
    expect(await rig.events('run_retry')).toHaveLength(2)
    expect(await rig.events('run_dead')).toHaveLength(1)
    rig.runner.answer = () => ({ text: 'fine' })
    await rig.runUntil(anchor + 120 * minute)
    expect(await rig.runs(id)).toMatchObject([{ outcome: 'dead' }, { outcome: 'ok' }])
    expect(await rig.task(id)).toMatchObject({ status: 'active', failures: 0 })
  })

  it('says the last error, then why it was given up', async () => {
    await using rig = await openEngineRig({ config: { max_attempts: 1 } })
    rig.runner.answer = () => ({ error: { class: 'exit', text: 'exit code 3: no such file', transient: true } })
    await rig.addTask({ schedule: { type: 'once', at: rig.foundation.clock.now() + minute, timeZone: 'UTC' } })
    await rig.runUntil(rig.foundation.clock.now() + day)
    const [posted] = rig.messages.posted
    expect(posted).toMatchObject({ text: expect.stringContaining('no such file. The one attempt failed.') })
  })

  it('keeps one key over all attempts, and each has a token of its own', async () => {
    await using rig = await openEngineRig()
    rig.runner.answer = () => broken
    const anchor = rig.foundation.clock.now()
    await rig.addTask({ schedule: { type: 'interval', everyMs: day, anchor, timeZone: 'UTC' } })
    await rig.runUntil(anchor + day + 60 * minute)
    const { started } = rig.runner
    expect(new Set(started.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    expect(new Set(started.map(({ token }) => token)).size).toBe(3)
    expect(rig.hub.revoked).toEqual(started.map(({ token }) => token))
    expect(rig.hub.minted.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  })

  it('is not tried again when that could not help', async () => {
    await using rig = await openEngineRig()
    rig.runner.answer = () => ({ error: { class: 'missing_program', text: 'There is no claude.', transient: false } })
    const id = await rig.addTask({
      schedule: { type: 'once', at: rig.foundation.clock.now() + minute, timeZone: 'UTC' },
    })
    await rig.runUntil(rig.foundation.clock.now() + day)
    expect(await rig.runs(id)).toMatchObject([{ outcome: 'dead', attempts: 1 }])
    expect(await rig.task(id)).toMatchObject({ status: 'failed' })
    expect(rig.messages.posted).toMatchObject([
      { priority: 'notify', text: expect.stringContaining('There is no claude.') },
    ])
  })

  it('waits as long as a server asked', async () => {
    await using rig = await openEngineRig()
    const { clock } = rig.foundation
    const anchor = clock.now()
    rig.runner.answer = () => ({
      error: { class: 'rate_limited', text: '429', transient: true, retryAfterMs: 20 * minute },
    })
    await rig.addTask({ schedule: { type: 'interval', everyMs: day, anchor, timeZone: 'UTC' } })
    await rig.runUntil(anchor + day + 20 * minute - 1)
    expect(rig.runner.started).toHaveLength(1)
    await rig.runUntil(anchor + day + 20 * minute)
    expect(rig.runner.started).toHaveLength(2)
  })

  it('five slots in a row pause the task, with one notice', async () => {
    await using rig = await openEngineRig({ config: { max_attempts: 1 } })
    rig.runner.answer = () => broken
    const id = await rig.addTask()
    await rig.runUntil(rig.foundation.clock.now() + 60 * minute)
    expect(await rig.runs(id)).toHaveLength(5)
    expect(await rig.task(id)).toEqual({ status: 'paused', pause_reason: 'auto', failures: 5, next_fire: null })
    expect(rig.messages.posted).toHaveLength(1)
    expect(rig.messages.posted[0]).toMatchObject({ priority: 'notify', text: expect.stringContaining(id) })
  })

  it('a run that ends well without what is expected is empty, and not tried again', async () => {
    await using rig = await openEngineRig()
    rig.runner.answer = () => ({ text: ' \n' })
    const output = await rig.addTask({ expect: 'output' })
    const message = await rig.addTask({ expect: 'message' })
    await rig.runUntil(rig.foundation.clock.now() + minute)
    expect(await rig.runs(output)).toMatchObject([{ outcome: 'empty', attempts: 1 }])
    expect(await rig.runs(message)).toMatchObject([{ outcome: 'empty', attempts: 1 }])
    expect(await rig.task(output)).toMatchObject({ failures: 1 })
  })

  it('a message of the run itself is what "message" expects', async () => {
    await using rig = await openEngineRig()
    const { store } = rig.foundation
    const id = await rig.addTask({ expect: 'message' })
    await rig.runUntil(rig.foundation.clock.now() + minute)
    const [run] = rig.runner.open
    const message = { group: 'main', depth: 0, priority: 'log', text: 'hello' } as const
    await rig.messages.post(store.db, { ...message, runId: run!.request.runId })
    run!.finish()
    await settle()
    expect(await rig.runs(id)).toMatchObject([{ outcome: 'ok' }])
  })

  it('its text goes where its task wants it', async () => {
    await using rig = await openEngineRig()
    rig.runner.answer = () => ({ text: ' The weather is fine.\n' })
    await rig.addTask({ deliver: 'digest' })
    await rig.addTask({ deliver: 'none' })
    await rig.runUntil(rig.foundation.clock.now() + minute)
    expect(rig.messages.posted).toMatchObject([{ priority: 'digest', text: 'The weather is fine.' }])
  })
})

describe('a run whose effect may have happened', () => {
  it.each([
    ['is not repeated when its tool is not idempotent', {}, 'dead', 1],
    ['is repeated when it is', { idempotentHint: true }, 'dead', 3],
    ['or when it only reads', { readOnlyHint: true }, 'dead', 3],
  ])('%s', async (_, annotations, outcome, attempts) => {
    await using rig = await openEngineRig({ config: { run_timeout_ms: 10_000 } })
    rig.hub.catalogue = [{ name: 'pay', inputSchema: { type: 'object' }, annotations }]
    const anchor = rig.foundation.clock.now()
    const schedule = { type: 'interval', everyMs: day, anchor, timeZone: 'UTC' } as const
    const id = await rig.addTask({ tool: 'pay', args: '{"eur":5}', schedule })
    await rig.runUntil(anchor + day + 60 * minute)
    expect(await rig.runs(id)).toMatchObject([{ outcome, attempts }])
    expect(rig.runner.started[0]!.tool).toMatchObject({ name: 'pay', args: { eur: 5 } })
  })

  it('an agent that is stopped at its limit is tried again', async () => {
    await using rig = await openEngineRig({ config: { run_timeout_ms: 10_000 } })
    const anchor = rig.foundation.clock.now()
    const id = await rig.addTask({ schedule: { type: 'interval', everyMs: day, anchor, timeZone: 'UTC' } })
    await rig.runUntil(anchor + day + 10_000)
    expect(await rig.runs(id)).toMatchObject([{ state: 'waiting', error: 'It ran longer than its limit of 10 s.' }])
  })
})

it('what was done is not done again because the database was away for a moment', async () => {
  await using rig = await openEngineRig()
  const { store, clock } = rig.foundation
  const id = await rig.addTask({ schedule: { type: 'once', at: clock.now() + 1, timeZone: 'UTC' } })
  await rig.runUntil(clock.now() + 1)
  await store.db.schema.alterTable('activity').renameTo('hidden').execute()
  rig.runner.open[0]!.finish({ text: 'done' })
  await settle()
  expect(await rig.runs(id)).toMatchObject([{ state: 'running' }])
  await store.db.schema.alterTable('hidden').renameTo('activity').execute()
  clock.advance(1_000)
  await settle()
  expect(await rig.runs(id)).toMatchObject([{ outcome: 'ok', attempts: 1 }])
})

describeBothDatabases('a lease', (database) => {
  it('is renewed as long as the run goes on', async () => {
    await using rig = await openEngineRig({ location: await database.create() })
    const id = await rig.addTask({ schedule: { type: 'once', at: rig.foundation.clock.now() + 1, timeZone: 'UTC' } })
    await rig.runUntil(rig.foundation.clock.now() + 1)
    for (let second = 0; second < 300; second += 1) {
      rig.foundation.clock.advance(1_000)
      await settleBoth(rig)
    }
    await rig.run()
    expect(await rig.runs(id)).toMatchObject([{ state: 'running', attempts: 1 }])
  })

  it('that is over is taken over: what is left is killed, the token revoked, the run tried again', async () => {
    await using rig = await openEngineRig({ location: await database.create() })
    const { store, clock } = rig.foundation
    const id = await rig.addTask({ schedule: { type: 'once', at: clock.now() + 1, timeZone: 'UTC' } })
    await rig.runUntil(clock.now() + 1)
    const [run] = rig.runner.open
    await run!.request.onProcess({ pgid: 4711, identity: 'boot/1/99' })
    // As if its process had died: nobody renews, and another one looks.
    await store.db
      .updateTable('attempts')
      .set({ owner: 'process_dead', lease_until: clock.now() - 1 })
      .execute()
    await rig.run()
    expect(rig.killed).toEqual(['4711 boot/1/99'])
    expect(rig.hub.revokedRuns).toEqual([`${run!.request.runId} 1`])
    expect(await rig.runs(id)).toMatchObject([{ state: 'waiting', attempts: 1 }])
    expect(await rig.events('run_abandoned')).toHaveLength(1)
    run!.finish({ text: 'too late' })
    await ended(rig)
    expect(await rig.events('run_fenced')).toHaveLength(1)
    expect(await rig.runs(id)).toMatchObject([{ state: 'waiting', attempts: 1 }])
  })

  it('that ran out this very moment is over for whoever held it, and for whoever takes over', async () => {
    await using rig = await openEngineRig({ location: await database.create() })
    const { clock } = rig.foundation
    const id = await rig.addTask({ schedule: { type: 'once', at: clock.now() + 1, timeZone: 'UTC' } })
    await rig.runUntil(clock.now() + 1)
    clock.advance(rig.foundation.config.lease_ms)
    await settleBoth(rig)
    await rig.run()
    expect(await rig.events('run_fenced')).toHaveLength(1)
    expect(await rig.runs(id)).toMatchObject([{ state: 'waiting', attempts: 1 }])
  })

  it('that ran out while the machine slept ends the attempt, though nobody has taken over yet', async () => {
    await using rig = await openEngineRig({ location: await database.create() })
    const { clock } = rig.foundation
    const id = await rig.addTask({ schedule: { type: 'once', at: clock.now() + 1, timeZone: 'UTC' } })
    await rig.runUntil(clock.now() + 1)
    clock.set(clock.now() + 3_600_000)
    await ended(rig)
    expect(rig.runner.open).toHaveLength(0)
    expect(await rig.events('run_fenced')).toHaveLength(1)
    await rig.run()
    expect(await rig.runs(id)).toMatchObject([{ state: 'waiting', attempts: 1 }])
  })
})

describe('closing runs', () => {
  it('ends what waits and leaves what runs; the task is told nothing', async () => {
    await using rig = await openEngineRig({ config: { max_concurrent_runs: 1 } })
    const { store, clock } = rig.foundation
    const first = await rig.addTask({ overlap: 'queue_one' })
    await rig.runUntil(clock.now() + 2 * minute)
    const closed = await store.transaction((db) => rig.engine.closeRuns(db, first, { text: 'Paused.', running: false }))
    rig.engine.wake()
    const runs = await rig.runs(first)
    expect(runs).toMatchObject([{ state: 'running' }, { outcome: 'cancelled', error: 'Paused.' }])
    expect(closed).toEqual({ closed: 1, runningRun: runs[0]!.id })
    expect(await rig.task(first)).toMatchObject({ failures: 0 })
  })

  it('with what runs: it is stopped, and its late result ignored', async () => {
    await using rig = await openEngineRig()
    const { store, clock } = rig.foundation
    const id = await rig.addTask()
    await rig.runUntil(clock.now() + minute)
    const [open] = rig.runner.open
    await store.transaction((db) => rig.engine.closeRuns(db, id, { text: 'Cancelled.', running: true }))
    await rig.run()
    expect(open!.signal.reason).toBe('cancelled')
    await settle()
    expect(await rig.runs(id)).toMatchObject([{ outcome: 'cancelled', error: 'Cancelled.' }])
    expect(await rig.events('run_fenced')).toEqual([])
    const attempts = await store.db.selectFrom('attempts').select('outcome').execute()
    expect(attempts).toEqual([{ outcome: 'cancelled' }])
  })
})

describe('a group that was removed', () => {
  it('takes the runs that wait for it along; one that only this process does not know keeps them', async () => {
    await using rig = await openEngineRig()
    const { store, clock } = rig.foundation
    for (const folder of ['gone', 'elsewhere']) {
      const removedAt = folder === 'gone' ? clock.now() : null
      const row = { folder, tag: folder, name: folder, is_admin: 0 as const, removed_at: removedAt }
      await store.db.insertInto('groups').values(row).execute()
      await addTrigger(rig, folder)
    }
    await rig.run()
    const runs = await store.db.selectFrom('runs').select(['group_folder', 'state', 'outcome']).orderBy('id').execute()
    expect(runs).toEqual([
      { group_folder: 'gone', state: 'ended', outcome: 'dead' },
      { group_folder: 'elsewhere', state: 'queued', outcome: null },
    ])
    expect(rig.messages.posted).toHaveLength(1)
  })
})

describe('a dead run', () => {
  it('is redriven with fresh attempts under its old slot; a failed once is active again', async () => {
    await using rig = await openEngineRig()
    const { store, clock } = rig.foundation
    rig.runner.answer = () => broken
    const at = clock.now() + minute
    const id = await rig.addTask({ schedule: { type: 'once', at, timeZone: 'UTC' } })
    await rig.runUntil(clock.now() + day)
    const [dead] = await rig.runs(id)
    expect(dead).toMatchObject({ outcome: 'dead', attempts: 3 })
    expect(await rig.task(id)).toMatchObject({ status: 'failed' })
    rig.runner.answer = () => ({ text: 'at last' })
    expect(await store.transaction((db) => rig.engine.redrive(db, dead!.id))).toBe('queued')
    await rig.run()
    expect(await rig.runs(id)).toMatchObject([{ id: dead!.id, outcome: 'ok', attempts: 4 }])
    expect(await rig.task(id)).toMatchObject({ status: 'completed' })
    expect(await store.transaction((db) => rig.engine.redrive(db, dead!.id))).toBeUndefined()
  })
})

/** However long the database takes. */
async function ended(rig: Awaited<ReturnType<typeof openEngineRig>>): Promise<void> {
  while (rig.engine.running > 0) await settle()
}

/** PostgreSQL answers over a socket, so turns of the loop alone are not enough. */
async function settleBoth(rig: Awaited<ReturnType<typeof openEngineRig>>): Promise<void> {
  await settle()
  await rig.foundation.store.transaction(async () => {})
  await settle()
}

async function addTrigger(rig: Awaited<ReturnType<typeof openEngineRig>>, target: string): Promise<void> {
  const { store, clock, newId } = rig.foundation
  const id = newId('trg')
  const [acceptedAt, expiresAt] = [clock.now(), clock.now() + day]
  await store.transaction(async (db) => {
    await db
      .insertInto('triggers')
      .values({
        id,
        source: 'main',
        target,
        depth: 1,
        subject: 's',
        body: 'b',
        accepted_at: acceptedAt,
        expires_at: expiresAt,
      })
      .execute()
    await rig.engine.queueRun(db, { triggerId: id, group: target, depth: 1 })
  })
}
