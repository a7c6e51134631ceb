import { expect, test } from 'vitest'
import { z } from 'zod'
import { answering, changing, reads } from '../../src/tools/social-tool.js'
import { ada, bob, operator, serveForTest } from '../support/call-tool.js'
import { openTestFoundation } from '../support/test-foundation.js'

const nothing = { input: z.object({}), data: z.strictObject({}), title: 't', description: 'd', marks: reads }

test('an agent over its limit has nobody asked in vain', async () => {
  await using foundation = await openTestFoundation({ config: { limits: { max_mutations_per_hour: 1 } } })
  let asked = 0
  const tool = changing({
    ...nothing,
    name: 'ask',
    prepare: async () => {
      asked += 1
    },
    change: async () => ({ data: {} }),
  })
  const { call, link } = await serveForTest([tool], foundation)
  await call('ask')
  expect((await call('ask')).error?.code).toBe('policy_denied_rate_limited')
  expect(asked).toBe(1)
  await link.close()
})

test('an agent has so many texts written in an hour; operators and others are not bound by that', async () => {
  await using foundation = await openTestFoundation()
  let asked = 0
  const tool = answering({
    ...nothing,
    name: 'write',
    generates: true,
    answer: async () => {
      asked += 1
      throw new Error('a model that fails costs all the same')
    },
  })
  const { call, link } = await serveForTest([tool], foundation)
  for (let time = 0; time < 60; time += 1) await call('write')
  foundation.clock.advance(1_000)
  const refused = await call('write')
  expect(refused.error).toMatchObject({ code: 'rate_limited', retryable: true, retry_after_ms: 3_599_000 })
  expect(asked).toBe(60)
  await call('write', {}, bob)
  await call('write', {}, operator)
  expect(asked).toBe(62)
  foundation.clock.advance(3_599_000)
  await call('write', {}, ada)
  expect(asked).toBe(63)
  await link.close()
})
