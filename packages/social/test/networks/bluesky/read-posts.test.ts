import { describe, expect, test } from 'vitest'
import { openBlueskyAccount } from '../../support/bluesky-account.js'

const minute = 60_000
const mcp = { keyword: 'mcp', limit: 25 }
const textsOf = ({ items }: { readonly items: readonly { readonly text: string }[] }) => items.map(({ text }) => text)

describe('a search', () => {
  test('gives posts whole, with what their authors are followed by', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock } = account
    const post = {
      by: 'bob.test',
      text: 'about mcp',
      followers: 42,
      likes: 3,
      reposts: 2,
      replies: 1,
      langs: ['en', 'de'],
      images: 2,
    }
    const stored = server.addPost(post)
    const { items } = await adapter.search(mcp, undefined)
    expect(items).toEqual([
      {
        ref: { id: stored.uri, cid: stored.cid },
        url: `https://bsky.app/profile/bob.test/post/${stored.rkey}`,
        authorId: stored.did,
        authorUsername: 'bob.test',
        authorFollowers: 42,
        text: 'about mcp',
        lang: 'en',
        postedAt: clock.now(),
        likes: 3,
        reposts: 2,
        replies: 1,
        media: 2,
        isQuote: false,
        isRepost: false,
        addressesUs: false,
      },
    ])
  })

  test('goes on where it stopped, and finds what was indexed late', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock } = account
    server.addPost({ text: 'mcp one', at: clock.now() - 10 * minute })
    server.addPost({ text: 'mcp two', at: clock.now() - 2 * minute })
    const first = await adapter.search(mcp, undefined)
    expect(textsOf(first)).toEqual(['mcp two', 'mcp one'])
    server.addPost({ text: 'mcp late', at: clock.now() - 3 * minute })
    server.addPost({ text: 'mcp three', at: clock.now() })
    const second = await adapter.search(mcp, first.cursor)
    expect(textsOf(second)).toEqual(['mcp three', 'mcp late'])
    expect(textsOf(await adapter.search(mcp, second.cursor))).toEqual([])
  })

  test('of a phrase looks for the phrase, and is no language of its own', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    for (const keyword of ['mcp', '#mcp', 'open networks', 'from:bob "x" lang:de'])
      await adapter.search({ keyword, limit: 100 }, undefined)
    const asked = server.requests.filter(({ method }) => method.endsWith('searchPosts')).map(({ query }) => query)
    expect(asked.map((query) => query.get('q'))).toEqual(['mcp', '#mcp', '"open networks"', '"from:bob x lang:de"'])
    expect(new Set(asked.map((query) => `${query.get('sort')} ${query.get('limit')}`))).toEqual(new Set(['latest 25']))
  })

  test('finds the rest where one post is not what it should be', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock } = account
    server.addPost({ text: 'mcp good' })
    server.addPost({ text: 'mcp', record: { text: ['mcp'] } })
    server.addPost({
      text: 'mcp odd',
      record: { createdAt: 'yesterday', langs: 'de', reply: 7, embed: [], facets: {} },
    })
    server.addPost({ text: 'mcp future', record: { createdAt: '2099-01-01T00:00:00Z' } })
    const { items } = await adapter.search(mcp, undefined)
    expect(items.map(({ text }) => text).sort()).toEqual(['mcp future', 'mcp good', 'mcp odd'])
    expect(items.every(({ postedAt }) => postedAt === clock.now())).toBe(true)
  })

  test.each(['', 'null', '[]', '{"posts":{}}', '<html>', `{"posts":[${'0,'.repeat(2_000)}0]}`])(
    'whose answer is %.20j fails with a code',
    async (text) => {
      await using account = await openBlueskyAccount()
      account.server.fault({ on: 'searchPosts', does: { kind: 'body', text } })
      const failed = { code: 'network_api_error', retryable: false }
      await expect(account.adapter.search(mcp, undefined)).rejects.toMatchObject(failed)
    },
  )

  test('is made three times, and then fails for now', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    server.fault({ on: 'searchPosts', times: 2, does: { kind: 'cut' } })
    await account.settled(adapter.search(mcp, undefined))
    expect(server.count('searchPosts')).toBe(3)
    server.fault({ on: 'searchPosts', times: 3, does: { kind: 'status', status: 502 } })
    const failed = { code: 'network_unavailable', retryable: true }
    await expect(account.settled(adapter.search(mcp, undefined))).rejects.toMatchObject(failed)
    expect(server.count('searchPosts')).toBe(6)
  })

  test('over the limit says when it is free again', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock } = account
    server.fault({ on: 'searchPosts', does: { kind: 'status', status: 429, headers: { 'retry-after': '60' } } })
    const options = { retryAfterMs: minute, rateLimitReset: clock.now() + minute }
    await expect(adapter.search(mcp, undefined)).rejects.toMatchObject({ code: 'network_rate_limited', options })
  })

  test('is worth having without profiles', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    server.addPost({ text: 'mcp', followers: 42 })
    server.fault({ on: 'getProfiles', does: { kind: 'status', status: 500 } })
    const [post] = (await adapter.search(mcp, undefined)).items
    expect(post).toMatchObject({ text: 'mcp' })
    expect(post).not.toHaveProperty('authorFollowers')
  })
})

describe('what is said to us', () => {
  test('is a mention, a reply or a quote, and nothing else', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock } = account
    const ours = server.addPost({ by: 'ada.test', text: 'ours', at: clock.now() - 9 * minute })
    server.addPost({ text: 'Hi @ada.test', mention: ['ada.test'], at: clock.now() - 3 * minute })
    server.addPost({ text: 'a reply', replyTo: ours, at: clock.now() - 2 * minute })
    server.addPost({ text: 'a quote', quote: ours, at: clock.now() - minute })
    server.addPost({ text: 'Hi @bob.test', mention: ['bob.test'] })
    server.addLike('bob.test', ours)
    const { items } = await adapter.mentions(undefined)
    expect(items.map(({ text, addressesUs, isQuote }) => [text, addressesUs, isQuote])).toEqual([
      ['a quote', true, true],
      ['a reply', true, false],
      ['Hi @ada.test', true, false],
    ])
    expect(items[1]).toMatchObject({ replyTo: { id: ours.uri, cid: ours.cid }, root: { id: ours.uri } })
  })

  test('is read back to what is known, over several pages', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock } = account
    const mention = (text: string, at: number) =>
      server.addPost({ text: `${text} @ada.test`, mention: ['ada.test'], at })
    mention('first', clock.now() - 60 * minute)
    const first = await adapter.mentions(undefined)
    for (let index = 0; index < 120; index++) mention(`m${index}`, clock.now() - 30 * minute + index * 1_000)
    const second = await adapter.mentions(first.cursor)
    expect(second.items).toHaveLength(120)
    expect(server.count('listNotifications')).toBe(1 + 3)
    expect((await adapter.mentions(second.cursor)).items).toEqual([])
  })

  test('and deleted since is left out', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    const gone = server.addPost({ text: 'Hi @ada.test', mention: ['ada.test'] })
    server.unindexed.add(gone.uri)
    expect((await adapter.mentions(undefined)).items).toEqual([])
  })
})

describe('the posts of an account', () => {
  test('are its own, by handle or id, without what it reposted', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock } = account
    const own = server.addPost({ by: 'bob.test', text: 'own', at: clock.now() - minute })
    server.addRepost('bob.test', server.addPost({ by: 'carol.test', text: 'hers' }))
    for (const author of ['bob.test', '@bob.test', own.did]) {
      const { items, cursor } = await adapter.authorPosts(author, undefined)
      expect(items.map(({ text }) => text)).toEqual(['own'])
      expect((await adapter.authorPosts(author, cursor)).items).toEqual([])
    }
  })

  test('of nobody are not found', async () => {
    await using account = await openBlueskyAccount()
    await expect(account.adapter.authorPosts('nobody.test', undefined)).rejects.toMatchObject({ code: 'not_found' })
    await expect(account.adapter.authorPosts('no name', undefined)).rejects.toMatchObject({ code: 'validation_error' })
  })
})

describe('posts by their names', () => {
  test('are read 25 at a time, and those that exist come', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    const stored = Array.from({ length: 60 }, (_, index) => server.addPost({ by: `a${index}.test`, text: `p${index}` }))
    const refs = [
      ...stored.map(({ uri }) => ({ id: uri })),
      { id: 'nonsense' },
      { id: `${stored[0]!.uri.slice(0, -1)}3` },
    ]
    expect(await adapter.posts(refs)).toHaveLength(60)
    expect(server.count('getPosts')).toBe(3)
    expect(await adapter.posts([])).toEqual([])
  })

  test('may bear a handle', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    const { rkey, uri } = server.addPost({ by: 'bob.test' })
    const ref = adapter.parseRef(`https://bsky.app/profile/bob.test/post/${rkey}`)!
    expect(await adapter.posts([ref])).toMatchObject([{ ref: { id: uri }, authorUsername: 'bob.test' }])
    expect(await adapter.posts([{ id: ref.id.replace('bob', 'nobody') }])).toEqual([])
  })

  test('are ours as soon as they are stored, and until they are removed, with the counts of the AppView', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, prepare } = account
    server.isIndexing = false
    const sent = await adapter.publish(prepare('fresh', { language: 'en' }))
    if (sent.kind !== 'sent') throw new Error('not sent')
    expect(await adapter.posts([sent.ref])).toMatchObject([{ ref: sent.ref, text: 'fresh', lang: 'en', likes: 0 }])
    server.unindexed.clear()
    server.addLike('bob.test', server.posts[0]!)
    expect(await adapter.posts([sent.ref])).toMatchObject([{ text: 'fresh', likes: 1 }])
    await adapter.remove(sent.ref)
    expect(await adapter.posts([sent.ref])).toEqual([])
  })
})

describe('whether a reply would be taken', () => {
  test.each([
    ['anybody may', {}, undefined],
    ['nobody may', { gate: [] }, /limits who may reply/],
    ['we may not', { replyDisabled: true, gate: ['followerRule'] }, /limits who may reply/],
    ['we are among those who may', { replyDisabled: false, gate: ['followerRule'] }, undefined],
  ])('%s', async (_, more, refusal) => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    const { uri } = server.addPost({ by: 'bob.test', ...more })
    const [post] = await adapter.posts([{ id: uri }])
    if (refusal === undefined) expect(post).not.toHaveProperty('replyRefusal')
    else expect(post!.replyRefusal).toMatch(refusal)
  })

  test('not by one who blocks us', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    const { uri } = server.addPost({ by: 'bob.test' })
    server.network.account('bob.test').blocksUs = true
    expect((await adapter.posts([{ id: uri }]))[0]!.replyRefusal).toMatch(/blocks this account/)
  })
})

describe('without an AppView', () => {
  test('our account is known, and its counts are said to be unknown', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock, settled } = account
    server.us.followers = 7
    expect(await adapter.account()).toMatchObject({ handle: 'ada.test', followers: 7 })
    server.hasAppView = false
    expect(await adapter.account()).toEqual(await adapter.account())
    clock.advance(minute)
    expect(await settled(adapter.account())).toMatchObject({ followers: 7, isUncounted: true })
    server.hasAppView = true
    server.us.followers = 8
    clock.advance(30_000)
    const counted = await adapter.account()
    expect(counted.followers).toBe(8)
    expect(counted).not.toHaveProperty('isUncounted')
  })

  test('our own posts are read back', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, prepare, settled } = account
    server.hasAppView = false
    const sent = await adapter.publish(prepare('Hi'))
    if (sent.kind !== 'sent') throw new Error('not sent')
    expect(await settled(adapter.posts([sent.ref]))).toMatchObject([
      { ref: sent.ref, text: 'Hi', authorUsername: 'ada.test' },
    ])
  })

  test('it is left alone for half a minute', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, settled, clock } = account
    server.hasAppView = false
    const { uri } = server.addPost({ by: 'bob.test' })
    for (let read = 0; read < 3; read++) await settled(adapter.posts([{ id: uri }]))
    expect(server.count('getPosts')).toBe(3)
    clock.advance(30_000)
    await settled(adapter.posts([{ id: uri }]))
    expect(server.count('getPosts')).toBe(6)
  })

  test.each([
    [{}, undefined],
    [{ gate: [] }, /limits who may reply/],
    [{ gate: ['followerRule'] }, /limits who may reply/],
    [{ gate: ['mentionRule'], text: 'Hi @ada.test', mention: ['ada.test'] }, undefined],
  ])('a post that our server has can be answered as its author says: %j', async (more, refusal) => {
    await using account = await openBlueskyAccount()
    const { server, adapter, settled } = account
    server.hasAppView = false
    const { uri } = server.addPost({ by: 'bob.test', ...more })
    const [post] = await settled(adapter.posts([{ id: uri }]))
    expect(post).toMatchObject({ authorUsername: 'bob.test' })
    if (refusal === undefined) expect(post).not.toHaveProperty('replyRefusal')
    else expect(post!.replyRefusal).toMatch(refusal)
  })
})

describe('an AppView of its own address', () => {
  test('never sees the access token', async () => {
    await using account = await openBlueskyAccount()
    await using other = await openBlueskyAccount()
    const { server } = account
    other.server.addPost({ by: 'bob.test', text: 'mcp elsewhere' })
    const adapter = account.another({ appviewUrl: other.server.url })
    expect(textsOf(await adapter.search(mcp, undefined))).toEqual(['mcp elsewhere'])
    expect(textsOf(await adapter.search(mcp, undefined))).toEqual(['mcp elsewhere'])
    expect(server.count('searchPosts')).toBe(0)
    expect(server.count('getServiceAuth')).toBe(2)
    const grant = server.requests.find(({ method }) => method.endsWith('getServiceAuth'))!
    expect(grant.query.get('aud')).toBe(`did:web:127.0.0.1%3A${new URL(other.server.url).port}`)
    const access = new Set(server.requests.map(({ authorization }) => authorization))
    expect(other.server.requests.some(({ authorization }) => access.has(authorization))).toBe(false)
  })
})
