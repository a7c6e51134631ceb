import { VirtualClock } from '@callboard/worker/testing'
import { createRestAPIClient } from 'masto'
import { describe, expect, it } from 'vitest'
import { type MastodonServer, startMastodonServer } from '../../support/mastodon-server.js'

/** The stand-in for a Mastodon server, as a client sees it that others wrote. */
describe('the stand-in for a Mastodon server', () => {
  it('tells of its limits and of the account', async () => {
    await using server = await startMastodonServer({ characters: 600 })
    const client = clientOf(server)
    const { configuration } = await client.v2.instance.fetch()
    expect(configuration.statuses).toMatchObject({ maxCharacters: 600, charactersReservedPerUrl: 23 })
    const me = await client.v1.accounts.verifyCredentials()
    expect(me).toMatchObject({ acct: 'callboard', followersCount: 42, followingCount: 7, statusesCount: 0 })
  })

  it('takes a post, shows it, and deletes it', async () => {
    await using server = await startMastodonServer()
    const client = clientOf(server)
    const posted = await client.v1.statuses.create({ status: 'Hello, world', language: 'en', visibility: 'unlisted' })
    const shown = await client.v1.statuses.$select(posted.id).fetch()
    expect(shown).toMatchObject({
      content: '<p>Hello, world</p>',
      visibility: 'unlisted',
      account: { acct: 'callboard' },
    })
    await client.v1.statuses.$select(posted.id).remove()
    await expect(client.v1.statuses.$select(posted.id).fetch()).rejects.toMatchObject({ statusCode: 404 })
  })

  it('gives the same post for the same key during an hour', async () => {
    const clock = new VirtualClock()
    await using server = await startMastodonServer({ clock })
    const client = clientOf(server)
    const post = (key: string) =>
      client.v1.statuses.create({ status: 'Once' }, { requestInit: { headers: { 'Idempotency-Key': key } } })
    const first = await post('one')
    clock.advance(59 * 60_000)
    expect((await post('one')).id).toBe(first.id)
    expect((await post('two')).id).not.toBe(first.id)
    clock.advance(60_000)
    expect((await post('one')).id).not.toBe(first.id)
    expect(server.own).toHaveLength(3)
  })

  it('may never have heard of keys', async () => {
    await using server = await startMastodonServer({ keepsKeys: false })
    const options = { requestInit: { headers: { 'Idempotency-Key': 'one' } } }
    await clientOf(server).v1.statuses.create({ status: 'Twice' }, options)
    await clientOf(server).v1.statuses.create({ status: 'Twice' }, options)
    expect(server.own).toHaveLength(2)
  })

  it.each([
    ['500 letters', 'x'.repeat(500), true],
    ['501 letters', 'x'.repeat(501), false],
    ['families as one letter each', '👨‍👩‍👧‍👦'.repeat(500), true],
    ['a long URL as 23', `${'x'.repeat(476)} https://example.com/${'y'.repeat(300)}`, true],
    ['a long URL as no less than 23', `${'x'.repeat(477)} https://example.com/${'y'.repeat(300)}`, false],
    ['a mention without its host', `${'x'.repeat(495)} @bob@somewhere.example`, true],
  ])('counts %s', async (_, status, fits) => {
    await using server = await startMastodonServer()
    const posted = clientOf(server).v1.statuses.create({ status })
    if (fits) await expect(posted).resolves.toBeDefined()
    else
      await expect(posted).rejects.toMatchObject({
        statusCode: 422,
        message: expect.stringMatching(/character limit of 500/),
      })
  })

  it('counts the content warning, too', async () => {
    await using server = await startMastodonServer()
    const posted = clientOf(server).v1.statuses.create({ status: 'x'.repeat(500), spoilerText: 'y' })
    await expect(posted).rejects.toMatchObject({ statusCode: 422 })
  })

  it('renders links, mentions and hashtags as Mastodon does', async () => {
    await using server = await startMastodonServer()
    server.addAccount({ username: 'bob', host: 'elsewhere.example' })
    const status =
      'Hi @bob@elsewhere.example & @nobody,\nsee https://www.example.com/a/very/long/path/that/goes/on #News\n\nBye'
    const { content, mentions } = await clientOf(server).v1.statuses.create({ status })
    expect(content).toBe(
      '<p>Hi <span class="h-card" translate="no"><a href="https://elsewhere.example/@bob" class="u-url mention">@<span>bob</span></a></span>' +
        ' &amp; @nobody,<br />see <a href="https://www.example.com/a/very/long/path/that/goes/on" target="_blank"' +
        ' rel="nofollow noopener noreferrer" translate="no"><span class="invisible">https://www.</span>' +
        '<span class="ellipsis">example.com/a/very/long/path/t</span><span class="invisible">hat/goes/on</span></a>' +
        ` <a href="${server.url}/tags/News" class="mention hashtag" rel="tag">#<span>News</span></a></p><p>Bye</p>`,
    )
    expect(mentions).toMatchObject([{ acct: 'bob@elsewhere.example' }])
  })

  it('refuses a wrong token', async () => {
    await using server = await startMastodonServer()
    const client = createRestAPIClient({ url: server.url, accessToken: 'wrong' })
    await expect(client.v1.accounts.verifyCredentials()).rejects.toMatchObject({
      statusCode: 401,
      message: 'The access token is invalid',
    })
  })

  it('pages by Link, and a hashtag begins with the newest', async () => {
    await using server = await startMastodonServer()
    const tagged = [1, 2, 3, 4, 5].map((number) => server.addStatus({ text: `Post ${number} #cats` }))
    server.addStatus({ text: 'no hashtag' })
    const pages: string[][] = []
    for await (const page of clientOf(server).v1.timelines.tag.$select('Cats').list({ limit: 2 }))
      pages.push(page.map(({ id }) => id))
    const [one, two, three, four, five] = tagged.map(({ id }) => id)
    expect(pages).toEqual([[five, four], [three, two], [one]])
  })

  it('gives the newest after since_id and the oldest after min_id', async () => {
    await using server = await startMastodonServer()
    const [first, second, third, fourth] = [1, 2, 3, 4].map((number) => server.addStatus({ text: `${number} #cats` }))
    const timeline = clientOf(server).v1.timelines.tag.$select('cats')
    const idsOf = async (place: object) => (await timeline.list({ limit: 2, ...place })).map(({ id }) => id)
    expect(await idsOf({ sinceId: first!.id })).toEqual([fourth!.id, third!.id])
    expect(await idsOf({ minId: first!.id })).toEqual([third!.id, second!.id])
  })

  it('notifies of mentions', async () => {
    await using server = await startMastodonServer()
    const status = server.addStatus({ text: 'Hello @callboard' })
    server.notify('favourite', status, status.account)
    const client = clientOf(server)
    expect(await client.v1.notifications.list()).toHaveLength(2)
    expect(await client.v1.notifications.list({ types: ['mention'] })).toMatchObject([
      { type: 'mention', status: { id: status.id } },
    ])
  })

  it('finds accounts, their posts, and what a URL shows', async () => {
    await using server = await startMastodonServer()
    const bob = server.addAccount({ username: 'bob', host: 'elsewhere.example', followers: 900 })
    const own = server.addStatus({ by: bob, text: 'Mine' })
    server.addStatus({ by: bob, reblogOf: server.addStatus() })
    const client = clientOf(server)
    const { id } = await client.v1.accounts.lookup({ acct: 'bob@elsewhere.example' })
    expect(await client.v1.accounts.$select(id).statuses.list({ excludeReblogs: true })).toMatchObject([
      { id: own.id, account: { followersCount: 900 } },
    ])
    expect((await client.v2.search.list({ q: own.url, type: 'statuses', resolve: true })).statuses).toMatchObject([
      { id: own.id },
    ])
    expect((await client.v2.search.list({ q: 'Mine', type: 'statuses' })).statuses).toEqual([])
  })

  it('has full-text search where it is told to', async () => {
    await using server = await startMastodonServer({ fullText: true })
    const status = server.addStatus({ text: 'All about cats' })
    const { statuses } = await clientOf(server).v2.search.list({ q: 'about cats', type: 'statuses' })
    expect(statuses).toMatchObject([{ id: status.id }])
  })

  it('takes files, at once or after some work, and attaches them once', async () => {
    await using server = await startMastodonServer({ mediaPolls: 2 })
    const client = clientOf(server)
    const file = new Blob([new Uint8Array([1, 2, 3])], { type: 'image/png' })
    const media = await client.v2.media.create({ file, description: 'Three bytes', skipPolling: true })
    expect(media.url).toBeNull()
    const post = () => client.v1.statuses.create({ status: '', mediaIds: [media.id] })
    await expect(post()).rejects.toMatchObject({ statusCode: 422 })
    await client.v1.media.$select(media.id).fetch()
    expect((await client.v1.media.$select(media.id).fetch()).url).toMatch(/^http/)
    expect((await post()).mediaAttachments).toMatchObject([{ description: 'Three bytes', type: 'image' }])
    await expect(post()).rejects.toMatchObject({ statusCode: 422 })
    await expect(client.v2.media.create({ file, description: 'x'.repeat(1_501) })).rejects.toMatchObject({
      statusCode: 422,
    })
  })

  it('counts requests in windows, and says so', async () => {
    const clock = new VirtualClock('2026-03-02T12:01:00Z')
    await using server = await startMastodonServer({ clock, requestsMax: 2 })
    const ask = () => fetch(`${server.url}/api/v1/instance`)
    const { headers } = await ask()
    expect(headers.get('x-ratelimit-limit')).toBe('2')
    expect(headers.get('x-ratelimit-remaining')).toBe('1')
    expect(headers.get('x-ratelimit-reset')).toBe('2026-03-02T12:05:00.000000Z')
    await ask()
    expect(await ask()).toMatchObject({ status: 429 })
    clock.set('2026-03-02T12:05:00Z')
    expect(await ask()).toMatchObject({ status: 200 })
  })

  it('may cut the connection after it has done what was asked', async () => {
    await using server = await startMastodonServer()
    server.fault({ kind: 'cut', on: /^POST/ })
    await expect(clientOf(server).v1.statuses.create({ status: 'Hello' })).rejects.toThrow()
    expect(server.own).toHaveLength(1)
  })
})

function clientOf({ url, token }: MastodonServer) {
  return createRestAPIClient({ url, accessToken: token })
}
