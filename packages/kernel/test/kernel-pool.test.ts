import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kernelsPerOwnerMax, noticesKeptMax } from '../src/limits.js'
import { evaluate, openPool, type PoolFixture, submit } from './support/fixture.js'

let fixture: PoolFixture

beforeEach(async () => {
  fixture = await openPool()
})
afterEach(() => fixture[Symbol.asyncDispose]())

describe('an agent that goes', () => {
  it('while its first run is being recorded leaves a kernel that the worker still knows, and ends', async () => {
    const kernel = fixture.kernel('leaving')
    const asked = submit(kernel, '1', { session: 'leaving' })
    await fixture.pool.closeSession('leaving')
    await (await asked).ended
    expect(fixture.kernel('next')).toBe(kernel)
    await fixture.pool.close()
    expect(kernel.runtime).toBeUndefined()
  })
})

describe('an interrupt', () => {
  it('of a run whose process is being started says so, and its code never begins', async () => {
    const kernel = fixture.kernel()
    const run = await submit(kernel, 'open("ran", "w")')
    expect(await kernel.interrupt(run, false)).toMatchObject({ outcome: 'dequeued' })
    expect(run.report()).toMatchObject({ status: 'refused', failure: { code: 'cancelled' } })
    expect((await evaluate(kernel, 'import os; os.listdir()')).result).toBe('[]')
  })
})

describe('kernels of one owner', () => {
  const named = (name: string) => fixture.pool.kernelOf({ owner: 'agent:test', session: 's' }, name)

  it('are so many at most; those without a process give way, those with one stay', async () => {
    const used = named('used')
    await evaluate(used, 'x = 1')
    for (let n = 0; n < 2 * kernelsPerOwnerMax; n += 1) named(`k${n}`)
    expect(fixture.pool.find({ owner: 'agent:test', session: 's' }, 'k0')).toBeUndefined()
    expect(named('used')).toBe(used)
    expect((await evaluate(used, 'x')).result).toBe('1')
  })
})

it('notices that nobody takes are bounded, the newest kept and the others counted', () => {
  const kernel = fixture.kernel()
  for (let n = 1; n <= noticesKeptMax + 30; n += 1) kernel.notice(`notice ${n}`)
  expect(kernel.notices).toHaveLength(noticesKeptMax + 1)
  expect(kernel.notices[0]).toBe('30 earlier notices were dropped.')
  expect(kernel.notices.at(-1)).toBe(`notice ${noticesKeptMax + 30}`)
})
