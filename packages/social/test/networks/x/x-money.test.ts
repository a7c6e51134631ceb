import { describe, expect, it } from 'vitest'
import type { TestFoundation } from '../../support/test-foundation.js'
import { failureOf, openXSetting } from '../../support/x-setting.js'

async function booksOf({ store: { db } }: TestFoundation): Promise<readonly (readonly [string, number, number])[]> {
  const rows = await db.selectFrom('network_usage').selectAll().orderBy('id').execute()
  return rows.map(({ endpoint, units, cost }) => [endpoint, units, Math.round(cost * 1_000) / 1_000])
}

describe('prices', () => {
  it('are higher for a post with a link, written out or not', async () => {
    const { x } = await openXSetting()
    expect(x.costOf({ text: 'Hello' })).toBe(0.015)
    for (const text of ['See https://example.com', 'See example.com/x', 'example.com']) {
      expect(x.costOf({ text })).toBe(0.2)
    }
    expect(x.costOf({ text: 'a'.repeat(10_000) })).toBe(0.015)
  })

  it.each(['Free', 'Basic', 'Pro', 'Enterprise'] as const)('are none on %s, which pays by the month', async (tier) => {
    const { x, publish, foundation } = await openXSetting({ tier, dailyBudgetUsd: 0 })
    expect(x.costOf({ text: 'https://example.com' })).toBe(0)
    expect((await publish('See https://example.com')).kind).toBe('sent')
    expect(await booksOf(foundation)).toEqual([])
  })
})

describe('the books', () => {
  it('hold each resource that came, ours at the price of ours', async () => {
    const { x, server, foundation, publish } = await openXSetting()
    server.add({ author: server.user('alice'), text: 'mcp' })
    server.add({ author: server.user('bob'), text: 'mcp @callboarder' })
    await x.search({ keyword: 'mcp', limit: 25 }, undefined)
    await x.mentions(undefined)
    await publish('See example.com')
    await publish('Hello')
    expect(await booksOf(foundation)).toEqual([
      ['account', 1, 0.01],
      ['search', 4, 0.03],
      ['mentions', 2, 0.002],
      ['create', 1, 0.2],
      ['create', 1, 0.015],
    ])
  })

  it('do not hold what X refused or found nothing for', async () => {
    const { x, server, foundation, publish } = await openXSetting()
    await x.account()
    server.failNext('create', { kind: 'answer', status: 403, body: {} })
    await publish('Hello')
    server.failNext('search', { kind: 'answer', status: 400, body: {} })
    await failureOf(x.search({ keyword: 'mcp', limit: 5 }, undefined))
    await x.search({ keyword: 'mcp', limit: 5 }, undefined)
    expect(await booksOf(foundation)).toEqual([['account', 1, 0.01]])
  })

  it('hold a post that may be out', async () => {
    const { server, foundation, publish } = await openXSetting()
    server.failNext('create', { kind: 'accept-but-cut' })
    await publish('Hello')
    expect(await booksOf(foundation)).toEqual([['create', 1, 0.015]])
  })
})

describe('the budget of a day', () => {
  it('stops a post before it leaves, until the next day (UTC)', async () => {
    const { server, foundation, publish } = await openXSetting({ dailyBudgetUsd: 0.03 })
    expect((await publish('One')).kind).toBe('sent')
    expect((await publish('Two')).kind).toBe('sent')
    expect(await publish('Three')).toMatchObject({
      kind: 'delayed',
      code: 'policy_denied_rate_limited',
      retryAfterMs: 12 * 60 * 60_000,
      message: expect.stringContaining('social.x.daily_budget_usd'),
    })
    expect(server.tweets).toHaveLength(2)
    foundation.clock.advance(12 * 60 * 60_000)
    expect((await publish('Three')).kind).toBe('sent')
  })

  it('stops a read that may cost more than is left', async () => {
    const { x, server } = await openXSetting({ dailyBudgetUsd: 0.1 })
    await expect(x.search({ keyword: 'mcp', limit: 25 }, undefined)).rejects.toMatchObject({
      code: 'policy_denied_rate_limited',
      options: { details: { network: 'x', rule: 'daily_budget_usd' } },
    })
    expect(server.requests.filter(({ path }) => path.includes('search'))).toEqual([])
  })

  it('is one for all replicas, at the same moment too', async () => {
    const { x, another, server, prepare } = await openXSetting({ dailyBudgetUsd: 0.03 })
    const other = another()
    const outcomes = await Promise.all(
      ['One', 'Two', 'Three', 'Four'].map((text, index) => (index % 2 === 0 ? x : other).publish(prepare(text))),
    )
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['delayed', 'delayed', 'sent', 'sent'])
    expect(server.tweets).toHaveLength(2)
  })
})
