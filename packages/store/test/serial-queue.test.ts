import { expect, it, vi } from 'vitest'
import { transactionsWaitingMax } from '../src/limits.js'
import { SerialQueue } from '../src/serial-queue.js'

it('goes on after a task that rejects', async () => {
  const queue = new SerialQueue('test')
  const failing = queue.run(async () => {
    throw new Error('failed')
  })
  const next = queue.run(async () => 'next')
  await expect(failing).rejects.toThrow('failed')
  expect(await next).toBe('next')
})

it('skips a task whose signal aborts, and keeps the order of the others', async () => {
  const queue = new SerialQueue('test')
  const controller = new AbortController()
  const order: number[] = []
  const tasks = [1, 2, 3].map((number) =>
    queue.run(async () => order.push(number), number === 2 ? controller.signal : undefined),
  )
  controller.abort(new Error('not 2'))
  await expect(tasks[1]).rejects.toThrow('not 2')
  await Promise.all([tasks[0], tasks[2]])
  expect(order).toEqual([1, 3])
})

it('refuses more than the limit', async () => {
  const queue = new SerialQueue('test')
  let finish = () => {}
  const running = queue.run(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve
      }),
  )
  const waiting = Array.from({ length: transactionsWaitingMax }, () => queue.run(async () => undefined))
  const task = vi.fn(async () => undefined)
  await expect(queue.run(task)).rejects.toMatchObject({ code: 'unavailable' })
  finish()
  await Promise.all([running, ...waiting])
  expect(task).not.toHaveBeenCalled()
  await queue.run(task)
  expect(task).toHaveBeenCalledOnce()
})
