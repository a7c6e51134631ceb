import { describe, expect, it } from 'vitest'
import type { NetworkAdapter } from '../../../src/networks/network-adapter.js'
import { openMastodonRig } from '../../support/mastodon-rig.js'

const reads: readonly (readonly [string, (network: NetworkAdapter) => Promise<unknown>])[] = [
  ['account', (network) => network.account()],
  ['search', (network) => network.search({ keyword: '#cats', limit: 5 }, undefined)],
  ['full-text search', (network) => network.search({ keyword: 'cats', limit: 5 }, undefined)],
  ['mentions', (network) => network.mentions(undefined)],
  ['authorPosts', (network) => network.authorPosts('bob', undefined)],
  ['posts', (network) => network.posts([{ id: '1' }])],
  ['posts by URL', (network) => network.posts([{ id: 'https://elsewhere.example/@bob/1234567' }])],
]

const bodies: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['null', 'null'],
  ['a number', '7'],
  ['a page of HTML', '<!doctype html><title>Welcome</title>'],
  ['half a list', '[{"id":"1"'],
  ['a list of nothing', '[null, 7, "x", [], {}]'],
  ['objects in objects', '{"statuses": {"0": {}}, "id": {"id": "1"}}'],
  ['ids that are paths', '{"id": "../../admin", "acct": "a b", "statuses": [{"id": "../x"}]}'],
]

describe('a hostile server', () => {
  describe.each(reads)('asked for %s', (_, read) => {
    it.each(bodies)('may answer %s', async (_name, body) => {
      await using rig = await openMastodonRig()
      rig.server.fault({ kind: 'body', body, times: 9 })
      await expect(read(rig.network)).rejects.toMatchObject({
        name: 'SocialFailure',
        code: 'network_api_error',
        retryable: false,
        options: { details: { network: 'mastodon', status: 200 } },
      })
    })

    it.each([
      [401, 'network_auth_expired', false],
      [403, 'network_forbidden', false],
      [429, 'network_rate_limited', true],
      [500, 'network_api_error', true],
      [503, 'network_unavailable', true],
    ])('may answer %s', async (status, code, retryable) => {
      await using rig = await openMastodonRig()
      rig.server.fault({ kind: 'status', status, times: 9 })
      await expect(read(rig.network)).rejects.toMatchObject({ name: 'SocialFailure', code, retryable })
    })

    it('may cut every connection', async () => {
      await using rig = await openMastodonRig()
      rig.server.fault({ kind: 'drop', times: 9 })
      await expect(read(rig.network)).rejects.toMatchObject({ code: 'network_unavailable', retryable: true })
      expect(rig.server.requests).toHaveLength(3)
    })
  })

  it('may send more than anybody reads', async () => {
    await using rig = await openMastodonRig()
    rig.server.fault({ kind: 'body', body: `["${'x'.repeat(5 * 1024 * 1024)}"]` })
    await expect(rig.network.mentions(undefined)).rejects.toMatchObject({
      code: 'network_api_error',
      message: expect.stringContaining('more than can be read'),
    })
  })

  it('may send us elsewhere, and we do not go', async () => {
    await using rig = await openMastodonRig()
    await using other = await openMastodonRig()
    rig.server.fault({ kind: 'status', status: 302, headers: { location: `${other.server.url}/x?secret=1` } })
    await expect(rig.network.account()).rejects.toMatchObject({
      code: 'network_api_error',
      message: expect.stringMatching(/sends us to 127\.0\.0\.1:\d+; set social\.mastodon\.base_url/),
    })
    expect(other.server.requests).toEqual([])
  })

  it('may name another server for the next page, and we do not go', async () => {
    await using rig = await openMastodonRig()
    await using other = await openMastodonRig()
    const { id } = rig.server.addStatus({ text: 'Hello @callboard' })
    const page = await rig.server.ask('/api/v1/notifications')
    const link = `<${other.server.url}/api/v1/notifications?max_id=${id}>; rel="next"`
    rig.server.fault({ kind: 'body', body: JSON.stringify(page), headers: { Link: link } })
    expect((await rig.network.mentions('1')).items).toHaveLength(2)
    expect(
      rig.server
        .calls(/notifications$/)
        .at(-1)!
        .query.get('max_id'),
    ).toBe(id)
    expect(other.server.requests).toEqual([])
  })

  it('may give pages without end, and we stop', async () => {
    await using rig = await openMastodonRig()
    for (let number = 0; number < 300; number++) rig.server.addStatus({ text: `${number} @callboard` })
    expect((await rig.network.mentions('1')).items).toHaveLength(200)
  })

  it('may give one odd post, and the others are read', async () => {
    await using rig = await openMastodonRig()
    const status = rig.server.addStatus({ text: '#cats' })
    const [good] = (await rig.server.ask('/api/v1/timelines/tag/cats')) as [object]
    const odd = [
      { ...good, id: '9/..' },
      { ...good, account: null },
      { ...good, created_at: 'yesterday' },
      { ...good, content: 7 },
      { ...good, account: { id: '1', acct: 'bob everyone@here' } },
    ]
    rig.server.fault({ kind: 'body', body: JSON.stringify([...odd, good]), on: /tag/ })
    const { items } = await rig.network.search({ keyword: '#cats', limit: 5 }, undefined)
    expect(items.map(({ ref }) => ref.id)).toEqual([status.id])
  })

  it('may give odd details, which are then not there', async () => {
    await using rig = await openMastodonRig()
    const status = rig.server.addStatus({ text: '#cats' })
    const odd = {
      id: status.id,
      account: { id: '5', acct: 'bob', followers_count: -3 },
      content: '<p>Hi',
      created_at: '2026-03-02T11:00:00Z',
      url: 'javascript:alert(1)',
      favourites_count: 'many',
      media_attachments: null,
      mentions: [null, 7, { id: 5 }],
      language: 7,
      quote: 'x',
    }
    rig.server.fault({ kind: 'body', body: JSON.stringify(odd), on: /statuses/ })
    expect(await rig.network.posts([{ id: status.id }])).toEqual([
      {
        ref: { id: status.id },
        url: `${rig.server.url}/@bob/${status.id}`,
        authorId: '5',
        authorUsername: 'bob',
        text: 'Hi',
        postedAt: Date.parse('2026-03-02T11:00:00Z'),
        likes: 0,
        reposts: 0,
        replies: 0,
        media: 0,
        isQuote: false,
        isRepost: false,
        addressesUs: false,
      },
    ])
  })

  it('may write our token and control characters into its errors', async () => {
    await using rig = await openMastodonRig()
    const error = `\u001b[31mBearer ${rig.server.token}\n${'x'.repeat(5_000)}`
    rig.server.fault({ kind: 'status', status: 418, error })
    const message = await rig.network.account().then(String, ({ message }: Error) => message)
    expect(message).not.toContain(rig.server.token)
    expect(message).not.toMatch(/\p{Control}/u)
    expect(message.length).toBeLessThan(300)
  })
})
