import { CallFailure } from '@callboard/worker'
import { describe, expect, it } from 'vitest'
import { openEngineRig, settle } from '../support/engine-rig.js'
import { openTestFoundation } from '../support/test-foundation.js'

const minute = 60_000

describe('what is wrong with one', () => {
  it('task keeps no other task from firing', async () => {
    await using rig = await openEngineRig()
    rig.runner.answer = () => ({ text: 'fine' })
    const { clock } = rig.foundation
    // No date is that far away.
    const bad = await rig.addTask({ next_fire: -9e15, due_at: -9e15 })
    const good = await rig.addTask()
    await rig.runUntil(clock.now() + 2 * minute)
    expect(await rig.runs(good)).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }])
    expect(await rig.task(bad)).toMatchObject({ status: 'paused', pause_reason: 'auto', next_fire: null })
    expect(rig.messages.posted).toHaveLength(1)
  })

  it('slot, of which nothing can be made, keeps no other task from firing', async () => {
    let isFirst = true
    await using foundation = await openTestFoundation()
    const newId = ((prefix) => {
      if (prefix !== 'run' || !isFirst) return foundation.newId(prefix)
      isFirst = false
      throw new RangeError('Invalid time value')
    }) as typeof foundation.newId
    await using rig = await openEngineRig({ foundation, parts: { newId } })
    const [bad, good] = [await rig.addTask(), await rig.addTask()]
    await rig.runUntil(foundation.clock.now() + minute)
    expect(await rig.task(bad)).toMatchObject({ status: 'paused', pause_reason: 'auto' })
    expect(await rig.runs(good)).toMatchObject([{ state: 'running' }])
  })

  it('group, to which the hub gives no token, keeps no other group waiting', async () => {
    await using rig = await openEngineRig()
    rig.runner.answer = () => ({ text: 'fine' })
    const { clock } = rig.foundation
    const mint = rig.hub.mintToken.bind(rig.hub)
    rig.hub.mintToken = async (run) => {
      if (run.group === 'lab') throw new CallFailure('forbidden', 'Not this one.', { retryable: false })
      return mint(run)
    }
    // It comes first in the alphabet, too.
    await rig.addTask({ group_folder: 'lab' })
    const good = await rig.addTask()
    await rig.runUntil(clock.now() + 3 * minute)
    expect(await rig.runs(good)).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }, { outcome: 'ok' }])
  })

  it('report, which the database can not hold, keeps no run from ending', async () => {
    await using rig = await openEngineRig()
    const { clock } = rig.foundation
    const id = await rig.addTask({ schedule: { type: 'once', at: clock.now() + minute, timeZone: 'UTC' } })
    await rig.runUntil(clock.now() + minute)
    rig.runner.open[0]!.finish({ text: 'fine', tokensIn: {} as number })
    await settle()
    await rig.runUntil(clock.now() + 5 * minute)
    expect(await rig.runs(id)).toMatchObject([
      { outcome: 'dead', attempts: 1, error: expect.stringContaining('could not be recorded') },
    ])
    expect(rig.engine.running).toBe(0)
  })

  it('claim that fails leaves no token behind', async () => {
    await using rig = await openEngineRig()
    const { clock, store } = rig.foundation
    await rig.addTask()
    clock.advance(minute)
    const transaction = store.transaction.bind(store)
    let calls = 0
    store.transaction = ((work: never, options: never) => {
      calls += 1
      // The first one fires the task, the second claims its run.
      return calls === 2 ? Promise.reject(new Error('disk')) : transaction(work, options)
    }) as typeof store.transaction
    await expect(rig.engine.tick()).rejects.toThrow('disk')
    expect(rig.hub.minted).toHaveLength(1)
    expect(rig.hub.revoked).toEqual(['token-1'])
  })
})
