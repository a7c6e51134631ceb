import type { Clock } from '@callboard/worker/clock'
import { z } from 'zod'
import { failure, SocialFailure } from '../../envelope/failure.js'
import type { HttpClient } from '../../http/http-client.js'
import * as limits from '../../limits.js'
import type { LengthRule } from '../../text/length-rule.js'
import type * as network from '../network-adapter.js'
import { AppView } from './app-view.js'
import { asFailure, failureOf } from './bluesky-failure.js'
import { BlueskySession } from './bluesky-session.js'
import { placeOfUri, postCollection, postRefIn } from './identifiers.js'
import { Pds } from './pds.js'
import { type PreparedPost, preparePost } from './prepare-post.js'
import { findPost, publishPost } from './publish-post.js'
import { PostReader } from './read-posts.js'
import { TidSource } from './tid.js'
import { Xrpc } from './xrpc.js'

export interface BlueskyOptions {
  /** The account's server, or the entrance to it: `https://bsky.social`. */
  readonly pdsUrl: string
  /** Where `app.bsky.*` is read; default: through the account's server. */
  readonly appviewUrl?: string
  /** Handle or DID. */
  readonly handle: string
  readonly appPassword: string
  readonly clock: Clock
  readonly http: Pick<HttpClient, 'send' | 'read'>
}

/** One account on Bluesky. Nothing is sent before it is needed. */
export function openBluesky(options: BlueskyOptions): network.NetworkAdapter {
  const { pdsUrl, appviewUrl, handle, appPassword, clock, http } = options
  const xrpc = new Xrpc(http, pdsUrl)
  const session = new BlueskySession({ xrpc, clock, handle, appPassword })
  const pds = new Pds({ xrpc, session, clock })
  const appView = new AppView(pds, appviewUrl === undefined ? undefined : new Xrpc(http, appviewUrl), clock)
  return new Bluesky({ pds, session, appView, clock })
}

interface Parts {
  readonly pds: Pds
  readonly session: BlueskySession
  readonly appView: AppView
  readonly clock: Clock
}

const count = z.int().min(0).catch(0)
const ownProfile = z.object({ followersCount: count, followsCount: count, postsCount: count })
const anything = z.looseObject({})

class Bluesky implements network.NetworkAdapter {
  readonly name = 'bluesky'
  readonly capabilities: network.Capabilities = {
    tier: 'Open',
    canPost: true,
    canReply: true,
    canSearch: true,
    canDiscover: true,
    canAttach: true,
    replyRule: 'to anybody, except where an author limits who may reply',
    mediaMax: limits.blueskyImagesMax,
    mediaBytesMax: limits.blueskyImageBytesMax,
    altTextMax: limits.blueskyAltTextMax,
  }
  readonly lengthRule: LengthRule = {
    kind: 'graphemes',
    max: limits.blueskyGraphemesMax,
    bytesMax: limits.blueskyTextBytesMax,
  }
  readonly #parts: Parts
  readonly #reader: PostReader
  readonly #tids = new TidSource()
  #account: { readonly account: network.Account; readonly until: number } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#reader = new PostReader(parts.pds, parts.appView, parts.clock)
  }

  get rates(): readonly network.RateState[] {
    return this.#parts.pds.rates
  }

  async account(signal?: AbortSignal): Promise<network.Account> {
    const { pds, appView, clock } = this.#parts
    if (this.#account !== undefined && clock.monotonic() < this.#account.until) return this.#account.account
    const { did, handle } = await pds.identity(signal)
    const call = { method: 'app.bsky.actor.getProfile', query: { actor: did } }
    const profile = await appView.queryIfThere(call, ownProfile, 'read our profile', signal)
    if (profile === undefined) return { id: did, handle, ...countsOf(this.#account?.account) }
    const { followersCount: followers, followsCount: following, postsCount: posts } = profile
    const account = { id: did, handle, followers, following, posts }
    this.#account = { account, until: clock.monotonic() + limits.blueskyAccountMs }
    return account
  }

  /** Its limits are those of the lexicon, everywhere. */
  async refresh(): Promise<void> {}

  search(query: network.Query, cursor: string | undefined, signal?: AbortSignal) {
    return this.#reader.search(query, cursor, signal)
  }

  mentions(cursor: string | undefined, signal?: AbortSignal) {
    return this.#reader.mentions(cursor, signal)
  }

  authorPosts(author: string, cursor: string | undefined, signal?: AbortSignal) {
    return this.#reader.authorPosts(author, cursor, signal)
  }

  posts(refs: readonly network.PostRef[], signal?: AbortSignal) {
    return this.#reader.posts(refs, signal)
  }

  parseRef(urlOrId: string): network.PostRef | undefined {
    return postRefIn(urlOrId)
  }

  newPublishKey(now: number, random: () => number): network.PublishKey {
    return { key: this.#tids.next(now, random), createdAt: now }
  }

  costOf(): number {
    return 0
  }

  replyPrefix(): string {
    return ''
  }

  prepare(part: network.Part, key: network.PublishKey): network.Prepared {
    return preparePost(part, key, this.lengthRule)
  }

  publish(prepared: network.Prepared, signal?: AbortSignal): Promise<network.PublishOutcome> {
    return publishPost(this.#parts.pds, this.#parts.clock, prepared as PreparedPost, signal)
  }

  find(prepared: network.Prepared, signal?: AbortSignal): Promise<network.FindOutcome> {
    return findPost(this.#parts.pds, this.#parts.clock, prepared as PreparedPost, signal)
  }

  async remove({ id }: network.PostRef, signal?: AbortSignal): Promise<void> {
    const { pds, clock } = this.#parts
    const { did, handle } = await pds.identity(signal)
    const place = placeOfUri(id)
    if (place?.collection !== postCollection || (place.repo !== did && place.repo !== handle.toLowerCase()))
      throw failure('network_forbidden', `${id} is no post of @${handle}; only its author removes a post.`, details)
    const input = { repo: did, collection: postCollection, rkey: place.rkey }
    const answer = await pds.send({ method: 'com.atproto.repo.deleteRecord', input }, signal).catch((error) => {
      signal?.throwIfAborted()
      throw asFailure(error)
    })
    if (answer.status !== 200) throw failureOf(answer, pds.host, 'remove a post', clock.now())
  }

  async check(signal?: AbortSignal): Promise<{ readonly status: 'ok' | 'error'; readonly message: string }> {
    const { pds } = this.#parts
    try {
      const { handle } = await pds.identity(signal)
      await pds.query({ method: 'com.atproto.server.getSession' }, anything, 'ask who we are', signal)
      return { status: 'ok', message: `Logged in at ${pds.host} as @${handle}.` }
    } catch (error) {
      const message = error instanceof SocialFailure ? error.message : `${pds.host} was not asked to the end.`
      return { status: 'error', message }
    }
  }

  renew(signal?: AbortSignal): Promise<void> {
    const { session, clock } = this.#parts
    return session.renewBefore(clock.now() + limits.blueskyRenewMs, signal)
  }
}

const details = { details: { network: 'bluesky' } }

/** The last ones known; a network without an AppView counts nothing. */
function countsOf(last: network.Account | undefined) {
  return {
    followers: last?.followers ?? 0,
    following: last?.following ?? 0,
    posts: last?.posts ?? 0,
    isUncounted: true as const,
  }
}
