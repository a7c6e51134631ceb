import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describeBothDatabases, type TestLocation } from '@callboard/store/testing'
import { beforeAll, expect, it } from 'vitest'
import { admitTrigger, type NewTrigger } from '../../src/triggers/admit-trigger.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const groups = [{ folder: 'main', isAdmin: true }, { folder: 'lab' }, { folder: 'press' }]
const trigger: NewTrigger = { source: 'lab', target: 'main', depth: 0, subject: '[main] x', body: 'Work' }

const admit = (foundation: TestFoundation, change: Partial<NewTrigger> = {}) =>
  foundation.store.transaction((db) => admitTrigger(db, foundation, { ...trigger, ...change }))
const countIn = async ({ store }: TestFoundation) =>
  (await store.db.selectFrom('triggers').select('id').execute()).length

describeBothDatabases('what limits triggers', (database) => {
  const open = async (config: object = {}, location?: TestLocation) =>
    openTestFoundation({ groups, config, location: location ?? (await database.create()) })

  it('stores one at the depth below its cause', async () => {
    await using foundation = await open()
    expect(await admit(foundation, { depth: 1 })).toMatchObject({ kind: 'admitted', trigger: { depth: 2 } })
    const rows = await foundation.store.db.selectFrom('triggers').selectAll().execute()
    const now = foundation.clock.now()
    expect(rows).toMatchObject([
      { source: 'lab', target: 'main', depth: 2, body: 'Work', accepted_at: now, expires_at: now + 96 * 3_600_000 },
    ])
    expect(rows[0]!.consumed_at).toBeNull()
  })

  it('refuses at the greatest depth, and stores nothing', async () => {
    await using foundation = await open()
    expect(await admit(foundation, { depth: 3 })).toEqual({ kind: 'too_deep', depth: 3, depthMax: 3 })
    expect(await countIn(foundation)).toBe(0)
  })

  it('waits no longer for a trigger of a clock that was set back since', async () => {
    await using foundation = await open({ max_triggers_per_hour: 1 })
    const { clock } = foundation
    await admit(foundation)
    clock.set(clock.now() - 30_000)
    expect(await admit(foundation)).toMatchObject({ kind: 'too_soon', limit: 'pair', retryAfterMs: 90_000 })
    clock.set(clock.now() - 24 * 3_600_000)
    expect(await admit(foundation)).toMatchObject({ kind: 'admitted' })
    expect(await admit(foundation, { target: 'press' })).toMatchObject({ kind: 'too_soon', limit: 'hour' })
  })

  it('lets a pair wait, and only that pair', async () => {
    await using foundation = await open()
    await admit(foundation)
    foundation.clock.advance(59_999)
    expect(await admit(foundation)).toEqual({ kind: 'too_soon', limit: 'pair', retryAfterMs: 1 })
    expect((await admit(foundation, { source: 'press' })).kind).toBe('admitted')
    expect((await admit(foundation, { target: 'press' })).kind).toBe('admitted')
    expect((await admit(foundation, { source: 'main', target: 'lab' })).kind).toBe('admitted')
    // What was refused has not begun the wait anew.
    foundation.clock.advance(1)
    expect((await admit(foundation)).kind).toBe('admitted')
  })

  it('counts an hour that slides over all groups', async () => {
    await using foundation = await open({ max_triggers_per_hour: 3, trigger_cooldown_ms: 0 })
    for (const source of ['lab', 'press', 'main']) {
      expect((await admit(foundation, { source })).kind).toBe('admitted')
      foundation.clock.advance(60_000)
    }
    expect(await admit(foundation)).toEqual({ kind: 'too_soon', limit: 'hour', retryAfterMs: 57 * 60_000 })
    foundation.clock.advance(57 * 60_000)
    expect((await admit(foundation)).kind).toBe('admitted')
    expect(await admit(foundation)).toMatchObject({ kind: 'too_soon', limit: 'hour' })
    expect(await countIn(foundation)).toBe(4)
  })

  it('counts what was accepted before a restart', async () => {
    const location = await database.create()
    {
      await using before = await open({}, location)
      await admit(before)
    }
    await using after = await open({}, location)
    expect(await admit(after)).toMatchObject({ kind: 'too_soon', limit: 'pair', retryAfterMs: 60_000 })
  })

  it('holds over processes that trigger at the same time', async () => {
    const location = await database.create()
    await using foundation = await open({}, location)
    const outcomes = (await Promise.all([inProcess(location, 40), inProcess(location, 40)])).flat()
    expect(outcomes.filter((kind) => kind === 'admitted')).toHaveLength(25)
    expect(await countIn(foundation)).toBe(25)
  })
})

// Children run the compiled package, so it has to be the one that is tested.
beforeAll(() => {
  const workspace = fileURLToPath(new URL('../../../../', import.meta.url))
  execFileSync(`${workspace}node_modules/.bin/tsc`, ['-b', 'packages/scheduler'], { cwd: workspace, stdio: 'pipe' })
})

/** Tries so many triggers under a limit of 25 an hour, without a cooldown; returns what became of each. */
async function inProcess(location: TestLocation, attempts: number): Promise<string[]> {
  const child = fork(new URL('../support/triggering-process.mjs', import.meta.url), [
    JSON.stringify({ location, attempts }),
  ])
  const [outcomes] = await once(child, 'message')
  return outcomes as string[]
}
