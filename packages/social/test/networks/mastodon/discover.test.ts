import { describe, expect, it } from 'vitest'
import { openMastodonRig } from '../../support/mastodon-rig.js'

const searching = /^GET \/api\/v2\/search$/
const tagging = /^GET \/api\/v1\/timelines\/tag\//
const cats = { keyword: 'cats', limit: 25 }

describe('a post as it comes from Mastodon', () => {
  it('is plain text with its counts and the followers of its author', async () => {
    await using rig = await openMastodonRig()
    const bob = rig.server.addAccount({ username: 'bob', host: 'elsewhere.example', followers: 900 })
    const status = rig.server.addStatus({
      by: bob,
      text: 'I <3 #cats & https://www.example.com/a/very/long/path/that/goes/on\nand on\n\nEnd',
      likes: 3,
      reblogs: 2,
      replies: 1,
      language: 'de',
    })
    const { items } = await rig.network.search(cats, undefined)
    expect(items).toEqual([
      {
        ref: { id: status.id },
        url: `https://elsewhere.example/@bob/${status.id}`,
        authorId: bob.id,
        authorUsername: 'bob@elsewhere.example',
        authorFollowers: 900,
        text: 'I <3 #cats & https://www.example.com/a/very/long/path/that/goes/on\nand on\n\nEnd',
        lang: 'de',
        postedAt: status.createdAt,
        likes: 3,
        reposts: 2,
        replies: 1,
        media: 0,
        isQuote: false,
        isRepost: false,
        addressesUs: false,
      },
    ])
  })

  it('addresses us when it mentions us, replies to us, or quotes us', async () => {
    await using rig = await openMastodonRig()
    const own = rig.server.addStatus({ by: rig.server.me, text: 'Ours' })
    const posts = [
      rig.server.addStatus({ text: 'Hello @callboard' }),
      rig.server.addStatus({ text: 'A reply', inReplyTo: own }),
      rig.server.addStatus({ text: 'A quote', quoteOf: own }),
      rig.server.addStatus({ text: 'Of others', quoteOf: rig.server.addStatus() }),
      own,
    ]
    const seen = await rig.network.posts(posts)
    expect(seen.map(({ addressesUs }) => addressesUs)).toEqual([true, true, true, false, false])
    expect(seen.map(({ isQuote }) => isQuote)).toEqual([false, false, true, true, false])
    expect(seen[1]).toMatchObject({ replyTo: { id: own.id } })
  })

  it('takes no public reply when it is not public', async () => {
    await using rig = await openMastodonRig()
    const kinds = ['public', 'unlisted', 'private', 'direct']
    const seen = await rig.network.posts(kinds.map((visibility) => rig.server.addStatus({ visibility })))
    expect(seen.map(({ replyRefusal }) => replyRefusal)).toEqual([
      undefined,
      undefined,
      "it is for its author's followers only, and our reply would be public",
      'it is for the people it names only, and our reply would be public',
    ])
  })

  it('takes a reply that no more people see', async () => {
    await using rig = await openMastodonRig({}, { visibility: 'direct' })
    const [seen] = await rig.network.posts([rig.server.addStatus({ visibility: 'direct' })])
    expect(seen!.replyRefusal).toBeUndefined()
  })

  it('takes our own reply when it is ours: a thread for followers goes on', async () => {
    await using rig = await openMastodonRig()
    const [seen] = await rig.network.posts([rig.server.addStatus({ by: rig.server.me, visibility: 'private' })])
    expect(seen!.replyRefusal).toBeUndefined()
  })

  it('is marked when it is a repost', async () => {
    await using rig = await openMastodonRig()
    const repost = rig.server.addStatus({ reblogOf: rig.server.addStatus() })
    expect(await rig.network.posts([repost])).toMatchObject([{ isRepost: true }])
  })
})

describe('searching on Mastodon', () => {
  it('gives by hashtag what is newer than the cursor', async () => {
    await using rig = await openMastodonRig()
    const first = rig.server.addStatus({ text: 'One #cats' })
    const page = await rig.network.search({ keyword: '#Cats', limit: 25 }, undefined)
    expect(page).toMatchObject({ items: [{ ref: { id: first.id } }], cursor: first.id })
    expect(rig.server.calls(searching)).toEqual([])
    rig.clock.advance(1_000)
    const second = rig.server.addStatus({ text: 'Two #cats' })
    expect(await rig.network.search({ keyword: '#cats', limit: 25 }, page.cursor)).toMatchObject({
      items: [{ ref: { id: second.id } }],
      cursor: second.id,
    })
  })

  it('keeps the cursor when there is nothing new', async () => {
    await using rig = await openMastodonRig()
    expect(await rig.network.search(cats, undefined)).toEqual({ items: [] })
    expect(await rig.network.search(cats, '123')).toEqual({ items: [], cursor: '123' })
  })

  it('gives as many as are wanted, the newest', async () => {
    await using rig = await openMastodonRig()
    const posts = [1, 2, 3].map((number) => rig.server.addStatus({ text: `${number} #cats` }))
    const { items } = await rig.network.search({ keyword: 'cats', limit: 2 }, undefined)
    expect(items.map(({ ref }) => ref.id)).toEqual([posts[2]!.id, posts[1]!.id])
  })

  it('writes a phrase as one hashtag', async () => {
    await using rig = await openMastodonRig()
    const status = rig.server.addStatus({ text: 'All of #SelfHosting' })
    expect(await rig.network.search({ keyword: 'self-hosting', limit: 5 }, undefined)).toMatchObject({
      items: [{ ref: { id: status.id } }],
    })
  })

  it('finds words where the server has full-text search, and then asks for no hashtag', async () => {
    await using rig = await openMastodonRig({ fullText: true })
    const status = rig.server.addStatus({ text: 'Plain cats' })
    const { cursor } = await rig.network.search(cats, undefined)
    expect(cursor).toBe(status.id)
    expect(rig.server.calls(tagging)).toEqual([])
    const newer = rig.server.addStatus({ text: 'More cats' })
    expect((await rig.network.search(cats, cursor)).items).toMatchObject([{ ref: { id: newer.id } }])
  })

  it('learns that a server has none, for an hour', async () => {
    await using rig = await openMastodonRig()
    await rig.network.refresh()
    for (let number = 0; number < 5; number++) await rig.network.search(cats, undefined)
    expect(rig.server.calls(searching)).toHaveLength(3)
    rig.clock.advance(60 * 60_000)
    await rig.network.refresh()
    await rig.network.search(cats, undefined)
    expect(rig.server.calls(searching)).toHaveLength(4)
  })

  it('does not take a server for one that has it which finds only what concerns us', async () => {
    await using rig = await openMastodonRig({ fullText: true })
    rig.server.addStatus({ by: rig.server.me, text: 'Our cats' })
    const own = await rig.server.ask('/api/v2/search?type=statuses&q=cats')
    const tagged = rig.server.addStatus({ text: 'Their #cats' })
    rig.server.fault({ kind: 'body', body: JSON.stringify(own), on: searching })
    expect((await rig.network.search(cats, undefined)).items).toMatchObject([{ ref: { id: tagged.id } }])
  })

  it('goes on by hashtag on a server without that call', async () => {
    await using rig = await openMastodonRig()
    const tagged = rig.server.addStatus({ text: '#cats' })
    rig.server.fault({ kind: 'status', status: 404, on: searching })
    expect((await rig.network.search(cats, undefined)).items).toMatchObject([{ ref: { id: tagged.id } }])
    await rig.network.search(cats, undefined)
    expect(rig.server.calls(searching)).toHaveLength(1)
  })

  it('finds nothing by a keyword that can be no hashtag', async () => {
    await using rig = await openMastodonRig()
    expect(await rig.network.search({ keyword: '2026', limit: 5 }, undefined)).toEqual({ items: [] })
    expect(rig.server.calls(tagging)).toEqual([])
  })
})

describe('mentions on Mastodon', () => {
  it('come by notification, and only those', async () => {
    await using rig = await openMastodonRig()
    const mention = rig.server.addStatus({ text: 'Hello @callboard' })
    rig.server.notify('favourite', mention, mention.account)
    const first = await rig.network.mentions(undefined)
    expect(first.items).toMatchObject([{ ref: { id: mention.id }, addressesUs: true }])
    expect(await rig.network.mentions(first.cursor)).toEqual({ items: [], cursor: first.cursor })
    const newer = rig.server.addStatus({ text: '@callboard again' })
    expect((await rig.network.mentions(first.cursor)).items).toMatchObject([{ ref: { id: newer.id } }])
  })

  it('are all read when many came, and no old one again', async () => {
    await using rig = await openMastodonRig()
    rig.server.addStatus({ text: 'Old @callboard' })
    const { cursor } = await rig.network.mentions(undefined)
    for (let number = 0; number < 100; number++) rig.server.addStatus({ text: `${number} @callboard` })
    const { items } = await rig.network.mentions(cursor)
    expect(items).toHaveLength(100)
    expect(items[0]!.text).toBe('99 @callboard')
  })

  it('leave out what a server gives that was not asked for', async () => {
    await using rig = await openMastodonRig()
    const status = rig.server.addStatus({ text: 'Hello @callboard' })
    rig.server.notify('favourite', status, status.account)
    const all = await rig.server.ask('/api/v1/notifications')
    rig.server.fault({ kind: 'body', body: JSON.stringify(all), times: 2, on: /notifications$/ })
    const { items, cursor } = await rig.network.mentions(undefined)
    expect(items).toHaveLength(1)
    expect(await rig.network.mentions(cursor)).toEqual({ items: [], cursor })
  })
})

describe("an account's posts on Mastodon", () => {
  it('are found by handle or id, without reposts, newer than the cursor', async () => {
    await using rig = await openMastodonRig()
    const bob = rig.server.addAccount({ username: 'bob', host: 'elsewhere.example' })
    const status = rig.server.addStatus({ by: bob, text: 'Mine' })
    rig.server.addStatus({ by: bob, reblogOf: rig.server.addStatus() })
    for (const name of ['@bob@elsewhere.example', 'bob@elsewhere.example', bob.id]) {
      const page = await rig.network.authorPosts(name, undefined)
      expect(page).toMatchObject({ items: [{ ref: { id: status.id } }], cursor: status.id })
      expect(await rig.network.authorPosts(name, page.cursor)).toEqual({ items: [], cursor: status.id })
    }
    expect(rig.server.calls(/lookup$/)).toHaveLength(1)
  })

  it('of nobody are not found', async () => {
    await using rig = await openMastodonRig()
    await expect(rig.network.authorPosts('nobody', undefined)).rejects.toMatchObject({ code: 'not_found' })
    await expect(rig.network.authorPosts('12345', undefined)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('reading posts back', () => {
  it('gives those that exist', async () => {
    await using rig = await openMastodonRig()
    const status = rig.server.addStatus()
    expect(await rig.network.posts([{ id: '1' }, { id: status.id }])).toMatchObject([{ ref: { id: status.id } }])
  })

  it('finds a post of another server by its URL, and knows its id from then on', async () => {
    await using rig = await openMastodonRig()
    const bob = rig.server.addAccount({ username: 'bob', host: 'elsewhere.example' })
    const status = rig.server.addStatus({ by: bob })
    const ref = rig.network.parseRef(`${status.uri}?utm_source=x`)!
    expect(await rig.network.posts([ref])).toMatchObject([{ ref: { id: status.id } }])
    expect(await rig.network.posts([ref])).toMatchObject([{ ref: { id: status.id } }])
    expect(rig.server.calls(searching)).toHaveLength(1)
  })

  it('does not take a post that speaks of a URL for the one that is there', async () => {
    await using rig = await openMastodonRig({ fullText: true })
    rig.server.addStatus({ text: 'See https://elsewhere.example/@bob/123456789' })
    expect(await rig.network.posts([{ id: 'https://elsewhere.example/@bob/123456789' }])).toEqual([])
  })
})
