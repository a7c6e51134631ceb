// npm run bluesky: the adapter and the whole worker against the reference server, and a client that we did not write looks at what it stored.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@callboard/worker/clock'
import { LossyProxy } from './lossy-proxy.js'
import { expired, facetsByAnother, type RealAccount, RealServer } from './real-server.js'
import { SocialChild } from './social-child.js'

type Adapter = import('../../packages/social/src/networks/network-adapter.js').NetworkAdapter
type Part = import('../../packages/social/src/networks/network-adapter.js').Part
type Sent = import('../../packages/social/src/networks/network-adapter.js').Sent
type Http = import('../../packages/social/src/http/http-client.js').HttpClient

const built = (path: string) => new URL(`../../../packages/social/dist/${path}`, import.meta.url).href
const { openBluesky } = (await import(
  built('networks/bluesky/open-bluesky.js')
)) as typeof import('../../packages/social/src/networks/bluesky/open-bluesky.js')
const { HttpClient, HttpTrouble } = (await import(
  built('http/http-client.js')
)) as typeof import('../../packages/social/src/http/http-client.js')

/** Ends a program that hangs; one that does not takes half a minute, or a few on a busy machine. */
setTimeout(() => {
  process.stdout.write('bluesky: did not end within 5 minutes\n')
  process.exit(1)
}, 300_000).unref()

/** Carries a request out and keeps the answer to itself. */
class HttpThatLoses extends HttpClient {
  readonly #method: string

  constructor(method: string) {
    super(systemClock)
    this.#method = method
  }

  override async send(...[request, signal]: Parameters<Http['send']>): ReturnType<Http['send']> {
    const answer = await super.send(request, signal)
    if (request.url.endsWith(this.#method)) throw new HttpTrouble('lost', 'the answer was thrown away')
    return answer
  }
}

/** Every login gives a token that has run out already; notes what is called. */
class HttpWithOldTokens extends HttpClient {
  readonly methods: string[] = []

  constructor() {
    super(systemClock)
  }

  override async send(...[request, signal]: Parameters<Http['send']>): ReturnType<Http['send']> {
    this.methods.push(new URL(request.url).pathname.split('.').at(-1)!)
    const answer = await super.send(request, signal)
    if (answer.status !== 200 || !request.url.endsWith('createSession')) return answer
    const session = JSON.parse(answer.text)
    return { ...answer, text: JSON.stringify({ ...session, accessJwt: expired(session.accessJwt) }) }
  }
}

await using server = await RealServer.start()
const ada = await server.account('ada.test')
const bob = await server.account('bob.test')
/** For whom the whole worker posts. */
const carol = await server.account('carol.test')
const adapter = adapterOf(ada)

/** 2 by 2 pixels. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR42mP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)
const image = { sha256: createHash('sha256').update(png).digest('hex'), mime: 'image/png', bytes: png, alt: 'Two dots' }

const checks: readonly { readonly name: string; readonly run: () => Promise<void> }[] = [
  {
    name: 'logs in and says who it is, without an AppView',
    run: async () => {
      const { id, handle } = await adapter.account()
      assert.deepEqual([id, handle], [ada.did, 'ada.test'])
      assert.equal((await adapter.check()).status, 'ok')
    },
  },
  {
    name: 'a post has links, mentions and hashtags where another client finds them',
    run: async () => {
      const text =
        '🦋 é Hello @bob.test and @nobody.test: see https://example.com/a?b=c. (http://example.org/x) #öffentlich #123'
      const { value } = await storedBy(ada, await sent(text))
      assert.equal(value.text, text)
      assert.deepEqual(value.facets, await facetsByAnother(ada, text))
      assert.equal(value.facets.length, 4)
    },
  },
  {
    name: 'the same key and part twice is one post',
    run: async () => {
      const prepared = prepare({ text: 'once and only once' })
      const before = await countOf(ada)
      const first = await publish(prepared)
      assert.deepEqual(await publish(prepared), first)
      assert.equal(await countOf(ada), before + 1)
    },
  },
  {
    name: 'another part under that key is refused, and the first one stays',
    run: async () => {
      const prepared = prepare({ text: 'the first one' })
      const first = (await publish(prepared)) as Sent
      const other = adapter.prepare({ text: 'the second one', media: [] }, prepared.key)
      assert.equal((await publish(other)).kind, 'rejected')
      assert.equal((await adapter.find(other)).kind, 'undecidable')
      assert.equal((await storedBy(ada, first)).value.text, 'the first one')
    },
  },
  {
    name: 'a thread of three parts hangs together',
    run: async () => {
      const root = await sent('one')
      const second = await sent('two', { parent: root.ref, root: root.ref })
      const third = await sent('three', { parent: second.ref, root: root.ref })
      const { value } = await storedBy(ada, third)
      assert.deepEqual(value.reply.root, { uri: root.ref.id, cid: root.ref.cid })
      assert.deepEqual(value.reply.parent, { uri: second.ref.id, cid: second.ref.cid })
    },
  },
  {
    name: 'a reply to somebody else, found by the address that people paste',
    run: async () => {
      const { uri, cid } = await bob.agent.post({ text: 'What do you think, @ada.test?', facets: mentionOf(ada) })
      const pasted = adapter.parseRef(`https://bsky.app/profile/bob.test/post/${uri.split('/').at(-1)}`)
      const [target] = await adapter.posts([pasted!])
      assert.equal(target?.authorUsername, 'bob.test')
      assert.equal(target?.addressesUs, true)
      assert.equal(target?.replyRefusal, undefined)
      const { value } = await storedBy(ada, await sent('A good question.', { parent: target!.ref }))
      assert.deepEqual(value.reply, { root: { uri, cid }, parent: { uri, cid } })
    },
  },
  {
    name: 'a thread that its author closed says so',
    run: async () => {
      const { uri } = await bob.agent.post({ text: 'No answers, please' })
      const record = { post: uri, allow: [], createdAt: new Date().toISOString() }
      await bob.agent.app.bsky.feed.threadgate.create({ repo: bob.did, rkey: uri.split('/').at(-1) }, record)
      const [target] = await adapter.posts([{ id: uri }])
      assert.match(target!.replyRefusal!, /limits who may reply/)
    },
  },
  {
    name: 'an image goes with the post, to the byte, with its description',
    run: async () => {
      const { value } = await storedBy(ada, await sent('with a picture', { media: [image] }))
      assert.equal(value.embed.images[0].alt, 'Two dots')
      const cid = value.embed.images[0].image.ref.toString()
      const { data } = await ada.agent.com.atproto.sync.getBlob({ did: ada.did, cid })
      assert.deepEqual(Buffer.from(data), png)
    },
  },
  {
    name: '300 graphemes are taken, 301 are refused here',
    run: async () => {
      await sent('é'.repeat(300))
      assert.throws(() => prepare({ text: 'é'.repeat(301) }), { code: 'tweet_too_long' })
    },
  },
  {
    name: '301 graphemes are refused there, in words that we know',
    run: async () => {
      const prepared = prepare({ text: 'short' })
      const record = { ...(prepared.request as { readonly record: object }).record, text: 'é'.repeat(301) }
      const outcome = await publish({ ...prepared, request: { ...(prepared.request as object), record } })
      assert.equal(outcome.kind === 'rejected' && outcome.code, 'tweet_too_long')
    },
  },
  {
    name: 'what is read back is what was sent',
    run: async () => {
      const parent = await sent('a first word')
      const post = await sent('Grüße, 世界 👩‍👩‍👧', { parent: parent.ref, media: [image, image], language: 'de' })
      const [read] = await adapter.posts([post.ref])
      assert.equal(read?.text, 'Grüße, 世界 👩‍👩‍👧')
      assert.deepEqual(read?.ref, post.ref)
      assert.deepEqual(read?.replyTo, parent.ref)
      assert.deepEqual([read?.authorId, read?.media, read?.lang], [ada.did, 2, 'de'])
    },
  },
  {
    name: 'removing is repeatable, and what is removed is gone',
    run: async () => {
      const { ref } = await sent('not for long')
      await adapter.remove(ref)
      await adapter.remove(ref)
      assert.deepEqual(await adapter.posts([ref]), [])
    },
  },
  {
    name: 'a post whose answer was lost is found, and not sent twice',
    run: async () => {
      const before = await countOf(ada)
      const deaf = adapterOf(ada, new HttpThatLoses('putRecord'))
      const prepared = prepare({ text: 'did it arrive?' })
      assert.equal((await deaf.publish(prepared)).kind, 'unknown')
      const found = await adapter.find(prepared)
      assert.equal(found.kind, 'sent')
      assert.deepEqual(await publish(prepared), found)
      assert.equal(await countOf(ada), before + 1)
    },
  },
  {
    name: 'a post that never left is absent',
    run: async () => assert.deepEqual(await adapter.find(prepare({ text: 'never sent' })), { kind: 'absent' }),
  },
  {
    name: 'a token that has run out is renewed, and the post is published once',
    run: async () => {
      const before = await countOf(ada)
      const http = new HttpWithOldTokens()
      const outcome = await adapterOf(ada, http).publish(prepare({ text: 'after half an hour' }))
      assert.equal(outcome.kind, 'sent')
      assert.deepEqual(http.methods, ['createSession', 'putRecord', 'refreshSession', 'putRecord'])
      assert.equal(await countOf(ada), before + 1)
    },
  },
  {
    name: 'a wrong app password is said once, and not tried again',
    run: async () => {
      const http = new HttpWithOldTokens()
      const stranger = adapterOf({ ...ada, appPassword: 'aaaa-bbbb-cccc-dddd' }, http)
      const outcome = await stranger.publish(prepare({ text: 'let me in' }))
      assert.equal(outcome.kind === 'rejected' && outcome.code, 'network_auth_expired')
      await assert.rejects(stranger.account(), { code: 'network_auth_expired' })
      assert.deepEqual(http.methods, ['createSession'])
    },
  },
  {
    name: 'a network without an AppView can not be searched, and says why',
    run: () => assert.rejects(adapter.search({ keyword: 'mcp', limit: 5 }, undefined), { code: 'network_unavailable' }),
  },
  {
    name: 'the whole worker: composed, proposed, approved by a person, published and verified',
    run: () =>
      withWorkers(server.url, async ({ start }) => {
        await using worker = start()
        const { tweet, draft_id, network } = await worker.ask('compose_tweet', { topic: 'compost' })
        assert.equal(network, 'bluesky')
        const proposed = await worker.ask('propose_post', { draft_id })
        assert.equal(proposed.status, 'pending')
        await worker.approve(proposed)
        const { outbox } = await worker.verified(proposed.id)
        assert.deepEqual(statesOf(outbox), ['verified'])
        assert.equal((await storedBy(carol, sentAs(outbox.parts[0]))).value.text, tweet)
      }),
  },
  {
    name: 'the whole worker: a thread of three hangs together',
    run: () =>
      withWorkers(server.url, async ({ start }) => {
        await using worker = start()
        const before = await countOf(carol)
        const parts = ['First the soil. 🌱', 'Then the seeds, see https://example.com/seeds', 'Then patience.']
        const id = await worker.approved({ kind: 'thread', parts })
        const { outbox } = await worker.verified(id)
        const records = await Promise.all((outbox.parts as StoredPart[]).map((part) => storedBy(carol, sentAs(part))))
        assert.deepEqual(
          records.map(({ value }) => value.text),
          parts,
        )
        const [root, second, third] = records.map(({ uri, cid, value }) => ({ uri, cid, reply: value.reply }))
        const ref = ({ uri, cid }: { uri: string; cid: string }) => ({ uri, cid })
        assert.deepEqual(second!.reply, { root: ref(root!), parent: ref(root!) })
        assert.deepEqual(third!.reply, { root: ref(root!), parent: ref(second!) })
        assert.equal(await countOf(carol), before + 3)
      }),
  },
  {
    name: 'the whole worker: killed between sending and recording, it makes one post',
    run: async () => {
      await using proxy = await LossyProxy.before(server.url)
      await withWorkers(proxy.url, async ({ start }) => {
        const before = await countOf(carol)
        await using worker = start()
        const carriedOut = proxy.keepAnswer('com.atproto.repo.putRecord')
        const id = await worker.approved({ kind: 'tweet', parts: ['Sent once, recorded later.'] })
        await carriedOut
        await worker.kill()
        assert.equal(await countOf(carol), before + 1)
        await using heir = start(leaseMs)
        const { outbox } = await heir.verified(id)
        assert.equal((await storedBy(carol, sentAs(outbox.parts[0]))).value.text, 'Sent once, recorded later.')
        assert.equal(await countOf(carol), before + 1)
      })
    },
  },
  {
    name: 'an account that was deactivated is restricted',
    run: async () => {
      await ada.agent.com.atproto.server.deactivateAccount({})
      const outcome = await publish(prepare({ text: 'nobody home' }))
      assert.equal(outcome.kind === 'rejected' && outcome.code, 'network_account_restricted')
    },
  },
]

/** So long a dead process keeps what it was about to publish, and a little. */
const leaseMs = 61_000

let failed = 0
for (const { name, run } of checks) {
  const begun = performance.now()
  const problem = await run().then(
    () => undefined,
    (error) => error,
  )
  process.stdout.write(
    `${problem === undefined ? 'ok    ' : 'FAILED'} ${name} (${Math.round(performance.now() - begun)} ms)\n`,
  )
  if (problem === undefined) continue
  failed += 1
  process.stdout.write(`       ${problem instanceof Error ? (problem.stack ?? problem.message) : problem}\n`)
}
process.stdout.write(`bluesky: ${checks.length - failed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

function adapterOf({ handle, appPassword }: RealAccount, http: Http = new HttpClient(systemClock)): Adapter {
  return openBluesky({ pdsUrl: server.url, handle, appPassword, clock: systemClock, http })
}

function prepare(part: Partial<Part> & { readonly text: string }) {
  return adapter.prepare({ media: [], ...part }, adapter.newPublishKey(Date.now(), Math.random))
}

function publish(prepared: ReturnType<typeof prepare>) {
  return adapter.publish(prepared)
}

async function sent(text: string, more: Partial<Part> = {}): Promise<Sent> {
  const outcome = await publish(prepare({ text, ...more }))
  assert.equal(outcome.kind, 'sent', JSON.stringify(outcome))
  return outcome as Sent
}

/** The record, as the other client reads it. */
async function storedBy(
  { agent, did }: RealAccount,
  { ref }: { readonly ref: { readonly id: string; readonly cid?: string } },
) {
  const rkey = ref.id.split('/').at(-1)
  const { data } = await agent.com.atproto.repo.getRecord({ repo: did, collection: 'app.bsky.feed.post', rkey })
  assert.equal(data.uri, ref.id)
  if (ref.cid !== undefined) assert.equal(data.cid, ref.cid)
  return data
}

async function countOf({ agent, did }: RealAccount): Promise<number> {
  const query = { repo: did, collection: 'app.bsky.feed.post', limit: 100 }
  const { data } = await agent.com.atproto.repo.listRecords(query)
  return data.records.length
}

function mentionOf({ did, handle }: RealAccount) {
  const byteStart = Buffer.byteLength('What do you think, ')
  const index = { byteStart, byteEnd: byteStart + handle.length + 1 }
  return [{ index, features: [{ $type: 'app.bsky.richtext.facet#mention', did }] }]
}

interface StoredPart {
  readonly remote_id: string
  readonly status: string
}

/** Workers of carol on one data directory, which is theirs alone. */
async function withWorkers(
  pdsUrl: string,
  work: (workers: { readonly start: (aheadMs?: number) => SocialChild }) => Promise<void>,
): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'callboard-bluesky-'))
  const { handle, appPassword: app_password } = carol
  const config = {
    business: { product_name: 'Gardener', product_keywords: ['tomatoes'], industry_topics: ['self-hosting'] },
    bluesky: { enabled: true, pds_url: pdsUrl, handle, app_password },
    limits: { min_action_delay_seconds: 0, max_action_delay_seconds: 0 },
  }
  try {
    await work({ start: (aheadMs = 0) => new SocialChild({ dataDirectory, config }, aheadMs) })
  } finally {
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

function statesOf({ parts }: { readonly parts: readonly StoredPart[] }): readonly string[] {
  return parts.map(({ status }) => status)
}

function sentAs({ remote_id }: StoredPart): { readonly ref: { readonly id: string } } {
  return { ref: { id: remote_id } }
}
