import type { Clock } from '@callboard/worker/clock'
import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { failure, SocialFailure } from '../../envelope/failure.js'
import { blueskyBatchMax, blueskyNotificationPage, blueskyNotificationPagesMax } from '../../limits.js'
import type { NetworkPost, Page, PostRef, Query } from '../network-adapter.js'
import type { AppView } from './app-view.js'
import { actorIn, isDid, placeOfUri, postUri } from './identifiers.js'
import { recordAt } from './own-records.js'
import type { Pds } from './pds.js'
import {
  fitting,
  type PostView,
  postRecord,
  postView,
  recordUri,
  threadgateRecord,
  toNetworkPost,
} from './post-view.js'
import { didOf } from './resolve-handle.js'
import { isNew, parseSeen, type Sighting, seenAfter } from './seen-posts.js'

const entries = z.array(z.unknown()).max(1_000)
const postList = z.object({ posts: entries })
const feed = z.object({ feed: entries })
const feedEntry = z.object({ post: postView, reason: z.unknown().optional() })
const profiles = z.object({ profiles: entries })
const profile = z.object({ did: z.string().refine(isDid), followersCount: z.int().min(0) })
const notifications = z.object({ notifications: entries, cursor: z.string().max(1_024).optional() })
const notification = z.object({ uri: recordUri, reason: z.string().max(100), indexedAt: z.string().max(100) })
const described = z.object({ did: z.string().refine(isDid), handle: z.string().max(253) })

const addressing: ReadonlySet<string> = new Set(['mention', 'reply', 'quote'])

/** The posts of the network, as the AppView has them; our own, as our server has them. */
export class PostReader {
  readonly #pds: Pds
  readonly #appView: AppView
  readonly #clock: Clock

  constructor(pds: Pds, appView: AppView, clock: Clock) {
    this.#pds = pds
    this.#appView = appView
    this.#clock = clock
  }

  async search(
    { keyword, limit }: Query,
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<Page<NetworkPost>> {
    const seen = parseSeen(cursor)
    const query = {
      q: searchText(keyword),
      sort: 'latest',
      limit: Math.min(limit, blueskyBatchMax),
      since: seen === undefined ? undefined : utcText(seen.begin),
    }
    const call = { method: 'app.bsky.feed.searchPosts', query }
    const { posts } = await this.#appView.query(call, postList, 'search', signal)
    return this.#newOf(fitting(posts, postView), cursor, signal)
  }

  async authorPosts(author: string, cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    const actor = actorIn(author)
    if (actor === undefined)
      throw failure(
        'validation_error',
        `${JSON.stringify(author.slice(0, 60))} is no account of Bluesky; give a handle like name.bsky.social.`,
      )
    const call = { method: 'app.bsky.feed.getAuthorFeed', query: { actor, limit: blueskyBatchMax } }
    const { feed: list } = await this.#appView
      .query(call, feed, `read the posts of ${actor}`, signal)
      .catch(asMissing(actor))
    const own = fitting(list, feedEntry).filter(({ reason }) => reason === undefined || reason === null)
    return this.#newOf(
      own.map(({ post }) => post),
      cursor,
      signal,
    )
  }

  /** Who mentions, answers or quotes us: back to the last known one. */
  async mentions(cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    const seen = parseSeen(cursor)
    const listed: Sighting[] = []
    let older: string | undefined
    for (let page = 0; page < blueskyNotificationPagesMax; page++) {
      const answer = await this.#notifications(older, signal)
      listed.push(...answer.sightings)
      older = answer.older
      const isKnown = seen !== undefined && answer.sightings.some(({ at }) => at < seen.begin)
      if (seen === undefined || isKnown || older === undefined) break
    }
    const fresh = listed.filter((sighting) => isNew(seen, sighting))
    const posts = await this.posts(
      fresh.map(({ uri }) => ({ id: uri })),
      signal,
    )
    const next = seenAfter(listed, seen, this.#clock.now())
    const items = posts.map((post) => ({ ...post, addressesUs: true }))
    return { items: newestFirst(items), ...(next !== undefined && { cursor: next }) }
  }

  /** Those that exist. Without the AppView: those that our server has or can get, uncounted. */
  async posts(refs: readonly PostRef[], signal?: AbortSignal): Promise<readonly NetworkPost[]> {
    if (refs.length === 0) return []
    const us = await this.#pds.identity(signal)
    const uris = await this.#urisOf(refs, signal)
    const views = await this.#views(uris, signal)
    const isForeign = (uri: string) => placeOfUri(uri)?.repo !== us.did
    const found: PostView[] = []
    for (const uri of uris) {
      const seen = views?.get(uri)
      // The AppView learns of our posts and their end some time later.
      const view = isForeign(uri) && views !== undefined ? seen : await this.#storedView(uri, seen, signal)
      if (view !== undefined) found.push(view)
    }
    const needCounts = views !== undefined && uris.some(isForeign)
    return needCounts ? this.#withFollowers(found, us.did, signal) : toPosts(found, us.did)
  }

  async #newOf(
    views: readonly PostView[],
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<Page<NetworkPost>> {
    const seen = parseSeen(cursor)
    const { did } = await this.#pds.identity(signal)
    const listed = toPosts(views, did).map(({ ref, postedAt }) => ({ uri: ref.id, at: postedAt }))
    const fresh = new Set(listed.filter((sighting) => isNew(seen, sighting)).map(({ uri }) => uri))
    const next = seenAfter(listed, seen, this.#clock.now())
    const items = await this.#withFollowers(
      views.filter(({ uri }) => fresh.has(uri)),
      did,
      signal,
    )
    return { items: newestFirst(items), ...(next !== undefined && { cursor: next }) }
  }

  async #notifications(cursor: string | undefined, signal?: AbortSignal) {
    const query = { limit: blueskyNotificationPage, reasons: [...addressing], cursor }
    const call = { method: 'app.bsky.notification.listNotifications', query }
    const answer = await this.#appView.query(call, notifications, 'read notifications', signal)
    const sightings = fitting(answer.notifications, notification)
      .filter(({ reason }) => addressing.has(reason))
      .map(({ uri, indexedAt }) => ({ uri, at: Date.parse(indexedAt) || 0 }))
    return { sightings, older: answer.notifications.length === 0 ? undefined : answer.cursor }
  }

  /** With DIDs; who pastes an address may have used a handle. */
  async #urisOf(refs: readonly PostRef[], signal?: AbortSignal): Promise<string[]> {
    const uris: string[] = []
    for (const { id } of refs) {
      const place = placeOfUri(id)
      if (place === undefined) continue
      const did = isDid(place.repo) ? place.repo : await didOf(this.#pds, place.repo, this.#clock.now(), signal)
      if (did !== undefined) uris.push(postUri(did, place.rkey))
    }
    return [...new Set(uris)]
  }

  async #views(uris: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, PostView> | undefined> {
    const views = new Map<string, PostView>()
    for (const batch of batches(uris)) {
      const call = { method: 'app.bsky.feed.getPosts', query: { uris: batch } }
      const answer = await this.#appView.queryIfThere(call, postList, 'read posts', signal)
      if (answer === undefined) return undefined
      for (const view of fitting(answer.posts, postView)) views.set(view.uri, view)
    }
    return views
  }

  /** From the record itself, with the counts of the AppView where it has them. */
  async #storedView(uri: string, seen: PostView | undefined, signal?: AbortSignal): Promise<PostView | undefined> {
    const { repo, rkey } = placeOfUri(uri)!
    const now = this.#clock.now()
    const record = await recordAt(this.#pds, { repo, rkey }, now, signal)
    if (record === undefined) return undefined
    const us = await this.#pds.identity(signal)
    const author = repo === us.did ? us : await this.#describe(repo, signal)
    const counts = seen ?? { likeCount: 0, repostCount: 0, replyCount: 0, indexedAt: '' }
    const gate = repo === us.did ? undefined : await this.#gateOf(uri, record.value, signal)
    return {
      uri,
      cid: record.cid,
      author: { did: author.did, handle: author.handle },
      record: record.value,
      likeCount: counts.likeCount,
      repostCount: counts.repostCount,
      replyCount: counts.replyCount,
      indexedAt: counts.indexedAt,
      ...(gate !== undefined && { threadgate: { record: gate } }),
    }
  }

  #describe(repo: string, signal?: AbortSignal): Promise<z.output<typeof described>> {
    const call = { method: 'com.atproto.repo.describeRepo', query: { repo } }
    return this.#pds.query(call, described, 'read who wrote a post', signal)
  }

  /** Who may reply is said beside the first post of the thread. */
  async #gateOf(
    uri: string,
    value: unknown,
    signal?: AbortSignal,
  ): Promise<z.output<typeof threadgateRecord> | undefined> {
    const root = placeOfUri(postRecord.safeParse(value).data?.reply?.root.uri ?? uri)
    if (root === undefined) return undefined
    const place = { repo: root.repo, rkey: root.rkey, collection: 'app.bsky.feed.threadgate' }
    const gate = await recordAt(this.#pds, place, this.#clock.now(), signal)
    return threadgateRecord.safeParse(gate?.value).data
  }

  /** A post is worth having without knowing how many follow its author. */
  async #withFollowers(views: readonly PostView[], ourDid: string, signal?: AbortSignal): Promise<NetworkPost[]> {
    const followers = new Map<string, number>()
    for (const actors of batches([...new Set(views.map(({ author }) => author.did))])) {
      const call = { method: 'app.bsky.actor.getProfiles', query: { actors } }
      const answer = await this.#appView.queryIfThere(call, profiles, 'read profiles', signal).catch(orNothing)
      for (const { did, followersCount } of fitting(answer?.profiles ?? [], profile)) followers.set(did, followersCount)
    }
    return toPosts(views, ourDid).map((post) => {
      const authorFollowers = followers.get(post.authorId)
      return { ...post, ...(authorFollowers !== undefined && { authorFollowers }) }
    })
  }
}

/** A phrase is one thing to look for; a word or hashtag goes as it is. */
function searchText(keyword: string): string {
  const bare = keyword.replaceAll('"', ' ').replace(/\s+/g, ' ').trim()
  return /^[#\p{L}\p{N}_-]+$/u.test(bare) ? bare : `"${bare}"`
}

function toPosts(views: readonly PostView[], ourDid: string): NetworkPost[] {
  return views.flatMap((view) => toNetworkPost(view, ourDid) ?? [])
}

function newestFirst(posts: readonly NetworkPost[]): NetworkPost[] {
  return posts.toSorted((one, other) => other.postedAt - one.postedAt)
}

function batches(all: readonly string[]): string[][] {
  const count = Math.ceil(all.length / blueskyBatchMax)
  return Array.from({ length: count }, (_, index) => all.slice(index * blueskyBatchMax, (index + 1) * blueskyBatchMax))
}

function asMissing(actor: string): (error: unknown) => never {
  return (error) => {
    const isMissing =
      error instanceof SocialFailure && error.options.details?.['status'] === 400 && error.code === 'network_api_error'
    if (!isMissing) throw error
    throw failure('not_found', `Bluesky does not show the posts of ${actor}: there is no such account, or a block.`, {
      details: { network: 'bluesky' },
      cause: error,
    })
  }
}

function orNothing(error: unknown): undefined {
  if (error instanceof SocialFailure) return undefined
  throw error
}
