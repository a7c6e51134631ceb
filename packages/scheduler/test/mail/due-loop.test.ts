import { VirtualClock } from '@callboard/worker/testing'
import { expect, it } from 'vitest'
import { DueLoop } from '../../src/mail/due-loop.js'

function open(work: (time: number) => Promise<number | undefined>) {
  const clock = new VirtualClock(0)
  const logged: string[] = []
  const log = { info: () => logged.push('info'), warn: () => logged.push('warn'), error: () => logged.push('error') }
  const times: number[] = []
  const loop = new DueLoop({
    clock,
    log,
    name: 'test',
    work() {
      times.push(clock.now())
      return work(clock.now())
    },
  })
  const next = async () => {
    while (clock.nextWake === undefined) await turn()
    clock.set(clock.nextWake)
    await turn()
  }
  return { loop, clock, logged, times, next }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('comes when there is something due, and looks once a minute when there is not', async () => {
  const { loop, times, next } = open(async (now) => (now === 0 ? 5_000 : undefined))
  loop.start()
  loop.start()
  await next()
  await next()
  expect(times).toEqual([0, 5_000, 65_000])
  await loop.close()
  await loop.close()
})

it('comes at once when it is woken, also while it works', async () => {
  const { loop, times, clock } = open(async () => undefined)
  loop.start()
  loop.wake()
  await turn()
  expect(times).toEqual([0, 0])
  clock.advance(1)
  loop.wake()
  await turn()
  expect(times).toEqual([0, 0, 1])
  await loop.close()
})

it('goes on after failures, and logs a series of them once', async () => {
  const { loop, times, next, logged } = open(async (now) => {
    if (now < 15_000) throw new Error('locked')
    return undefined
  })
  loop.start()
  for (let n = 0; n < 4; n++) await next()
  expect(times).toEqual([0, 5_000, 10_000, 15_000, 75_000])
  expect(logged).toEqual(['error', 'info'])
  await loop.close()
})

it('does nothing after it was closed', async () => {
  const { loop, times } = open(async () => undefined)
  await loop.close()
  loop.start()
  loop.wake()
  await turn()
  expect(times).toEqual([])
})
