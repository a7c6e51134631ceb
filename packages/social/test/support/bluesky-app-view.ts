import { type FakeAccount, type FakePost, gateOf, Refusal } from './bluesky-network.js'
import type { BlueskyServer, Call } from './bluesky-server.js'

/** `app.bsky.*` as far as the worker reads it. */
export const appViewCalls: { readonly [method: string]: (server: BlueskyServer, call: Call) => object } = {
  'app.bsky.actor.getProfile': (server, { query }) => profileOf(server, actorOf(server, query.get('actor'))),
  'app.bsky.actor.getProfiles': (server, { query }) => {
    const actors = query.getAll('actors')
    requireAtMost(25, actors)
    const found = actors.flatMap((actor) => server.network.find(actor) ?? [])
    return { profiles: found.map((account) => profileOf(server, account)) }
  },
  'app.bsky.feed.searchPosts': (server, { query }) => {
    const words = (query.get('q') ?? '').replaceAll('"', '').toLowerCase()
    const since = Date.parse(query.get('since') ?? '') || 0
    const limit = Number(query.get('limit') ?? 25)
    const found = indexed(server)
      .filter(({ record }) => String(record.text).toLowerCase().includes(words))
      .filter((post) => sortTime(post) >= since)
      .sort((one, other) => sortTime(other) - sortTime(one))
    return { posts: found.slice(0, limit).map((post) => viewOf(server, post)), hitsTotal: found.length }
  },
  'app.bsky.feed.getPosts': (server, { query }) => {
    const uris = query.getAll('uris')
    requireAtMost(25, uris)
    const known = new Map(indexed(server).map((post) => [post.uri, post]))
    return { posts: uris.flatMap((uri) => known.get(uri) ?? []).map((post) => viewOf(server, post)) }
  },
  'app.bsky.feed.getAuthorFeed': (server, { query }) => {
    const { did } = actorOf(server, query.get('actor'))
    const own = indexed(server)
      .filter((post) => post.did === did)
      .map((post) => ({ post: viewOf(server, post) }))
    const reposted = server.network.reposts
      .filter((repost) => repost.did === did)
      .map(({ uri }) => ({
        post: viewOf(server, server.network.all.get(uri)!),
        reason: {
          $type: 'app.bsky.feed.defs#reasonRepost',
          by: { did },
          indexedAt: new Date(server.now()).toISOString(),
        },
      }))
    return { feed: [...reposted, ...own.reverse()].slice(0, Number(query.get('limit') ?? 50)) }
  },
  'app.bsky.notification.listNotifications': (server, { query }) => {
    const reasons = query.getAll('reasons')
    const limit = Number(query.get('limit') ?? 50)
    const start = Number(query.get('cursor') ?? 0)
    const all = notificationsOf(server).filter(({ reason }) => reasons.length === 0 || reasons.includes(reason))
    const page = all.slice(start, start + limit)
    return { notifications: page, ...(start + limit < all.length && { cursor: String(start + limit) }) }
  },
}

function indexed(server: BlueskyServer): FakePost[] {
  return server.allPosts.filter(({ uri }) => !server.unindexed.has(uri))
}

function sortTime({ record, indexedAt }: FakePost): number {
  return Math.min(Date.parse(record.createdAt) || indexedAt, indexedAt)
}

function actorOf(server: BlueskyServer, actor: string | null): FakeAccount {
  const found = server.network.find(actor ?? '')
  if (found === undefined) throw new Refusal(400, 'InvalidRequest', 'Profile not found')
  return found
}

function requireAtMost(max: number, list: readonly string[]): void {
  if (list.length > max) throw new Refusal(400, 'InvalidRequest', `Error: Params must have at most ${max} elements`)
}

function profileOf(server: BlueskyServer, { did, handle, followers, following }: FakeAccount): object {
  const postsCount = server.allPosts.filter((post) => post.did === did).length
  return { did, handle, displayName: '', followersCount: followers, followsCount: following, postsCount }
}

function viewOf(server: BlueskyServer, post: FakePost): object {
  const author = server.network.find(post.did)!
  const root = server.network.all.get(post.record.reply?.root?.uri ?? post.uri) ?? post
  const replyDisabled = post.replyDisabled ?? root.gate?.length === 0
  return {
    uri: post.uri,
    cid: post.cid,
    author: {
      did: author.did,
      handle: author.handle,
      displayName: 'A <b>name</b>',
      viewer: { muted: false, blockedBy: author.blocksUs === true },
      labels: [],
    },
    record: post.record,
    replyCount: post.replies,
    repostCount: post.reposts,
    likeCount: post.likes,
    quoteCount: 0,
    indexedAt: new Date(post.indexedAt).toISOString(),
    viewer: { threadMuted: false, ...(replyDisabled && { replyDisabled }) },
    labels: [],
    ...(root === post &&
      post.gate !== undefined && { threadgate: { uri: post.uri, cid: post.cid, record: gateOf(post), lists: [] } }),
  }
}

interface Notification {
  readonly uri: string
  readonly reason: string
  readonly indexedAt: string
}

/** Newest first. */
function notificationsOf(server: BlueskyServer): Notification[] {
  const { us, network } = server
  const about = indexed(server).flatMap((post) => {
    const reason = reasonOf(post, us)
    return reason === undefined || post.did === us.did
      ? []
      : [notification(server, post.did, post.uri, post.cid, reason, post.record, post.indexedAt)]
  })
  const likes = network.likes.map(({ did, uri, at }) =>
    notification(
      server,
      did,
      uri.replace(/^at:\/\/[^/]+\/app.bsky.feed.post/, `at://${did}/app.bsky.feed.like`),
      'bafylike',
      'like',
      {},
      at,
    ),
  )
  return [...about, ...likes].sort((one, other) => Date.parse(other.indexedAt) - Date.parse(one.indexedAt))
}

function reasonOf({ record }: FakePost, { did }: FakeAccount): string | undefined {
  if (record.reply?.parent?.uri.startsWith(`at://${did}/`)) return 'reply'
  if (record.embed?.record?.uri?.startsWith(`at://${did}/`)) return 'quote'
  const features = (Array.isArray(record.facets) ? record.facets : []).flatMap(
    (facet: { readonly features: readonly { readonly did?: string }[] }) => facet.features,
  )
  return features.some((feature: { readonly did?: string }) => feature.did === did) ? 'mention' : undefined
}

function notification(
  server: BlueskyServer,
  did: string,
  uri: string,
  cid: string,
  reason: string,
  record: object,
  at: number,
) {
  const { handle } = server.network.find(did)!
  return {
    uri,
    cid,
    author: { did, handle },
    reason,
    record,
    isRead: false,
    indexedAt: new Date(at).toISOString(),
    labels: [],
  }
}
