import { describeBothDatabases } from '@callboard/store/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../../src/networks/local/open-local.js'
import type { NetworkAdapter, Part, PostRef } from '../../../src/networks/network-adapter.js'
import { openTestFoundation, type TestFoundation } from '../../support/test-foundation.js'

interface Setting {
  readonly foundation: TestFoundation
  readonly local: NetworkAdapter
  post(text: string, parent?: PostRef): Promise<PostRef>
}

async function open(handle = 'you', foundation?: TestFoundation): Promise<Setting> {
  const base = foundation ?? (await openTestFoundation())
  if (foundation === undefined) onTestFinished(() => base[Symbol.asyncDispose]())
  const local = await openLocal({ handle, foundation: base })
  return {
    foundation: base,
    local,
    async post(text, parent) {
      const key = local.newPublishKey(base.clock.now(), base.random)
      const outcome = await local.publish(local.prepare(part(text, parent), key))
      if (outcome.kind !== 'sent') throw new Error(JSON.stringify(outcome))
      return outcome.ref
    },
  }
}

function part(text: string, parent?: PostRef): Part {
  return { text, media: [], ...(parent && { parent }) }
}

function textsOf({ items }: { items: readonly { text: string }[] }): string[] {
  return items.map(({ text }) => text)
}

describe('the sample posts', () => {
  it('fill a new table, a few minutes old, by accounts that people follow', async () => {
    const { local, foundation } = await open()
    const { items } = await local.search({ keyword: 'mcp', limit: 25 }, undefined)
    expect(items.length).toBeGreaterThanOrEqual(3)
    for (const { text, postedAt, authorFollowers, authorUsername, addressesUs } of items) {
      expect(text).toMatch(/^\[Sample\] /)
      expect(authorUsername).toMatch(/^sample_/)
      expect(authorFollowers).toBeGreaterThan(100)
      expect(foundation.clock.now() - postedAt).toBeLessThan(30 * 60_000)
      expect(addressesUs).toBe(false)
    }
  })

  it('are found by each word of the default profile, or by its topics', async () => {
    const { local, foundation } = await open()
    const { product_keywords, industry_topics } = foundation.config.business
    for (const keyword of [...product_keywords, ...industry_topics]) {
      const { items } = await local.search({ keyword, limit: 25 }, undefined)
      expect([keyword, items.length > 0]).toEqual([keyword, true])
    }
  })

  it('are marked in their rows', async () => {
    const { foundation, post } = await open()
    await post('Ours')
    const rows = await foundation.store.db.selectFrom('local_posts').select(['account', 'sample']).execute()
    expect(rows.every(({ account, sample }) => (sample === 1) === account.startsWith('sample_'))).toBe(true)
  })

  it('are not inserted into a table that has a post, deleted or not', async () => {
    const { foundation, local } = await open()
    const { db } = foundation.store
    await db.deleteFrom('local_posts').where('id', '>', 1).execute()
    await db.updateTable('local_posts').set({ deleted_at: 1 }).execute()
    await openLocal({ handle: 'you', foundation })
    expect(await local.search({ keyword: 'mcp', limit: 25 }, undefined)).toEqual({ items: [] })
  })
})

describeBothDatabases('the built-in network', (database) => {
  it('inserts the sample posts once when two replicas start together', async () => {
    const location = await database.create()
    const replicas = await Promise.all([openTestFoundation({ location }), openTestFoundation({ location })])
    onTestFinished(async () => void (await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()))))
    const [first] = await Promise.all(replicas.map((foundation) => openLocal({ handle: 'you', foundation })))
    const rows = await replicas[0]!.store.db.selectFrom('local_posts').select('id').execute()
    expect(rows).toHaveLength(6)
    expect((await first!.account()).posts).toBe(0)
  })

  it('stores a post once, however often and from wherever it is published', async () => {
    const location = await database.create()
    const replicas = await Promise.all([openTestFoundation({ location }), openTestFoundation({ location })])
    onTestFinished(async () => void (await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()))))
    const [one, other] = await Promise.all(replicas.map((foundation) => openLocal({ handle: 'you', foundation })))
    const prepared = one!.prepare(part('Once'), { key: 'key', createdAt: 5 })
    const outcomes = await Promise.all([one!.publish(prepared), other!.publish(prepared), one!.publish(prepared)])
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1)
    expect(outcomes[0]).toMatchObject({ kind: 'sent', url: expect.stringMatching(/^local:\d+$/) })
    expect((await one!.account()).posts).toBe(1)
  })
})

describe('publishing', () => {
  it('gives a post that is read back with its text, author, time and parent', async () => {
    const { local, foundation, post } = await open('@you')
    const parent = await post('First')
    const ref = await post('Second', parent)
    const [read] = await local.posts([ref])
    expect(read).toMatchObject({
      ref,
      url: `local:${ref.id}`,
      text: 'Second',
      authorUsername: 'you',
      postedAt: foundation.clock.now(),
      replyTo: parent,
      media: 0,
      addressesUs: false,
    })
  })

  it('counts the replies of what is answered, once for each', async () => {
    const { local, post } = await open()
    const parent = await post('First')
    const prepared = local.prepare(part('Second', parent), { key: 'key', createdAt: 5 })
    await local.publish(prepared)
    const repeated = await local.publish(prepared)
    expect((await local.posts([parent]))[0]?.replies).toBe(1)
    if (repeated.kind !== 'sent') throw new Error('not sent')
    await local.remove(repeated.ref)
    await local.remove(repeated.ref)
    expect((await local.posts([parent]))[0]?.replies).toBe(0)
  })

  it('refuses to answer what is no longer there', async () => {
    const { local, post } = await open()
    const parent = await post('First')
    await local.remove(parent)
    const prepared = local.prepare(part('Second', parent), { key: 'key', createdAt: 5 })
    expect(await local.publish(prepared)).toMatchObject({ kind: 'rejected', code: 'not_found' })
    expect(() => local.prepare(part('Second', { id: 'at://elsewhere' }), { key: 'key', createdAt: 5 })).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    )
  })

  it('notes the files', async () => {
    const { local, foundation } = await open()
    const medium = { sha256: 'ab', mime: 'image/png', bytes: new Uint8Array(3), alt: 'A cat' }
    const outcome = await local.publish(
      local.prepare({ ...part('Look'), media: [medium] }, { key: 'key', createdAt: 5 }),
    )
    const { media } = await foundation.store.db
      .selectFrom('local_posts')
      .select('media')
      .where('publish_key', '=', 'key')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(media)).toEqual([{ part: 0, sha256: 'ab', mime: 'image/png', bytes: 3, alt: 'A cat' }])
    if (outcome.kind !== 'sent') throw new Error('not sent')
    expect((await local.posts([outcome.ref]))[0]?.media).toBe(1)
  })

  it('takes what the usual Mastodon server takes', async () => {
    const { local } = await open()
    const key = { key: 'key', createdAt: 5 }
    const url = `https://example.com/${'x'.repeat(300)}`
    expect(() => local.prepare(part('é'.repeat(500)), key)).not.toThrow()
    expect(() => local.prepare(part(`${'a'.repeat(476)} ${url}`), key)).not.toThrow()
    for (const text of ['a'.repeat(501), `${'a'.repeat(477)} ${url}`]) {
      expect(() => local.prepare(part(text), key)).toThrow(expect.objectContaining({ code: 'tweet_too_long' }))
    }
    expect(() => local.prepare(part(' \n'), key)).toThrow(expect.objectContaining({ code: 'validation_error' }))
  })

  it('says that a stopped publish stored nothing', async () => {
    const { local } = await open()
    const prepared = local.prepare(part('Never'), { key: 'key', createdAt: 5 })
    expect(await local.publish(prepared, AbortSignal.abort())).toMatchObject({ kind: 'delayed' })
    expect(await local.find(prepared)).toEqual({ kind: 'absent' })
  })

  it('does not reject when the database is gone', async () => {
    const foundation = await openTestFoundation()
    const { local } = await open('you', foundation)
    const prepared = local.prepare(part('Never'), { key: 'key', createdAt: 5 })
    await foundation[Symbol.asyncDispose]()
    expect((await local.publish(prepared)).kind).toMatch(/unknown|delayed/)
    expect((await local.check()).status).toBe('error')
  })
})

describe('finding', () => {
  it('tells by the key alone, deleted since or not', async () => {
    const { local } = await open()
    const prepared = local.prepare(part('Once'), { key: 'key', createdAt: 5 })
    expect(await local.find(prepared)).toEqual({ kind: 'absent' })
    const outcome = await local.publish(prepared)
    expect(await local.find(prepared)).toEqual(outcome)
    if (outcome.kind === 'sent') await local.remove(outcome.ref)
    expect(await local.find(prepared)).toEqual(outcome)
    expect(await local.publish(prepared)).toEqual(outcome)
  })
})

describe('reading', () => {
  it('gives what is newer than the cursor, newest first, and whole words only', async () => {
    const { local, post } = await open()
    const { cursor } = await local.search({ keyword: 'zebra', limit: 25 }, undefined)
    await post('One zebra')
    await post('Zebras are many')
    await post('#Zebra two')
    const page = await local.search({ keyword: '#zebra', limit: 25 }, cursor)
    expect(textsOf(page)).toEqual(['#Zebra two', 'One zebra'])
    expect(await local.search({ keyword: 'zebra', limit: 25 }, page.cursor)).toEqual({ items: [] })
    expect(textsOf(await local.search({ keyword: 'zebra', limit: 1 }, undefined))).toEqual(['#Zebra two'])
  })

  it('finds words of scripts that set no blanks', async () => {
    const { local, post } = await open()
    await post('今日は代理店の話')
    expect(textsOf(await local.search({ keyword: '代理店', limit: 25 }, undefined))).toHaveLength(1)
  })

  it('gives a deleted post to nobody', async () => {
    const { local, post } = await open()
    const ref = await post('One zebra')
    await local.remove(ref)
    expect(textsOf(await local.search({ keyword: 'zebra', limit: 25 }, undefined))).toEqual([])
    expect(await local.posts([ref])).toEqual([])
  })

  it('mentions are posts of others that name us or answer us', async () => {
    const { foundation, local, post } = await open('you')
    const ours = await post('Hello')
    const other = await open('other', foundation)
    await other.post('An answer', ours)
    await other.post('Ask @You, please')
    await other.post('Ask @yourself or me@you.example or @you@elsewhere')
    await post('I am @you')
    const page = await local.mentions(undefined)
    expect(textsOf(page)).toEqual(['Ask @You, please', 'An answer'])
    expect(page.items.every(({ addressesUs }) => addressesUs)).toBe(true)
    expect(await local.mentions(page.cursor)).toEqual({ items: [] })
  })

  it('gives the posts of one account', async () => {
    const { local, post } = await open()
    await post('Ours')
    expect(textsOf(await local.authorPosts('@You', undefined))).toEqual(['Ours'])
    expect((await local.authorPosts('sample_ada', undefined)).items).toHaveLength(2)
    expect((await local.authorPosts('nobody', undefined)).items).toEqual([])
  })

  it('starts anew from a cursor that is none', async () => {
    const { local } = await open()
    const { items } = await local.search({ keyword: 'mcp', limit: 25 }, undefined)
    expect((await local.search({ keyword: 'mcp', limit: 25 }, "' or 1=1")).items).toEqual(items)
  })

  it('knows its own ids and URLs only', async () => {
    const { local } = await open()
    expect(local.parseRef(' local:12 ')).toEqual({ id: '12' })
    expect(local.parseRef('12')).toEqual({ id: '12' })
    for (const text of ['local:', 'local:0', 'local:-1', '1'.repeat(16), 'https://x.com/a/status/1', '1e3']) {
      expect(local.parseRef(text)).toBeUndefined()
    }
    expect(await local.posts([{ id: '999' }, { id: 'nonsense' }])).toEqual([])
    await local.remove({ id: 'nonsense' })
  })

  it('removes no post of another account', async () => {
    const { foundation, local } = await open()
    await local.remove({ id: '1' })
    const rows = await foundation.store.db
      .selectFrom('local_posts')
      .select('id')
      .where('deleted_at', 'is not', null)
      .execute()
    expect(rows).toEqual([])
  })
})
