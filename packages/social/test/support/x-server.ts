import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { VirtualClock } from '@callboard/worker/testing'
import twitter from 'twitter-text'

export interface XServerUser {
  readonly id: string
  readonly username: string
  readonly followers: number
}

export interface StoredTweet {
  readonly id: string
  readonly author: XServerUser
  /** As X shows it: short links, names in front, entities escaped. */
  readonly text: string
  readonly createdAt: number
  readonly urls: readonly { readonly url: string; readonly expanded_url: string }[]
  readonly replyTo?: string
  readonly quotes?: string
  readonly isRetweet: boolean
  readonly media: number
}

export interface NewTweet {
  readonly author: XServerUser
  readonly text: string
  readonly replyTo?: string
  readonly quotes?: string
  readonly isRetweet?: boolean
  readonly media?: number
}

export type XCall = 'create' | 'delete' | 'search' | 'mentions' | 'timeline' | 'lookup' | 'me' | 'user' | 'token'

/** What happens to the next call of that kind. */
export type XFault =
  /** Instead of doing it. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown; readonly headers?: object }
  /** Does it, and says this. */
  | { readonly kind: 'done-but'; readonly status: number; readonly body: unknown }
  /** Does not do it, and ends the connection. */
  | { readonly kind: 'cut' }
  /** Does it, and ends the connection. */
  | { readonly kind: 'accept-but-cut' }
  /** Does it, and never answers. */
  | { readonly kind: 'accept-but-hang' }

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly authorization: string
  readonly body: string
}

interface Reply {
  readonly status: number
  readonly body: unknown
  readonly headers?: Record<string, string>
}

const epoch = 1_288_834_974_657
const ours: XServerUser = { id: '1000', username: 'Callboarder', followers: 120 }

/** X's API v2 as far as we use it, over real HTTP and in memory, with what it is known to do to texts and replies. */
export class XServer implements AsyncDisposable {
  readonly me = ours
  readonly requests: SeenRequest[] = []
  /** Newest last; what was deleted is gone. */
  readonly tweets: StoredTweet[] = []
  /** Who asks for more than this many gets a `next_token`. */
  pageMax = 100
  isEnterprise = false
  /** Of a confidential client. */
  clientSecret: string | undefined
  refreshes = 0
  #access = new Map<string, number>([['access-0', Number.POSITIVE_INFINITY]])
  #refresh = 'refresh-0'
  readonly #users = new Map<string, XServerUser>([[ours.id, ours]])
  readonly #faults: { readonly call: XCall; readonly fault: XFault }[] = []
  readonly #clock: VirtualClock
  readonly #server = createServer((request, response) => void this.#handle(request, response))
  #serial = 0

  private constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  static async start(clock: VirtualClock): Promise<XServer> {
    const server = new XServer(clock)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/2`
  }

  /** Adds a stranger. */
  user(username: string, followers = 500): XServerUser {
    const user = { id: String(2_000 + this.#users.size), username, followers }
    this.#users.set(user.id, user)
    return user
  }

  /** Posts past all rules, as somebody in the app would. */
  add({ author, text, replyTo, quotes, isRetweet = false, media = 0 }: NewTweet): StoredTweet {
    const short = shorten(escaped(text), () => ++this.#serial)
    const quoted = this.tweets.find(({ id }) => id === quotes)
    const quoteUrl = quoted && {
      url: `https://t.co/q${++this.#serial}`,
      expanded_url: `https://twitter.com/${quoted.author.username}/status/${quoted.id}`,
    }
    const tweet: StoredTweet = {
      id: String((BigInt(this.#clock.now() - epoch) << 22n) + BigInt(++this.#serial)),
      author,
      text: quoteUrl ? `${short.text} ${quoteUrl.url}` : short.text,
      createdAt: this.#clock.now(),
      urls: quoteUrl ? [...short.urls, quoteUrl] : short.urls,
      ...(replyTo !== undefined && { replyTo }),
      ...(quotes !== undefined && { quotes }),
      isRetweet,
      media,
    }
    this.tweets.push(tweet)
    return tweet
  }

  by(user: XServerUser): readonly StoredTweet[] {
    return this.tweets.filter(({ author }) => author.id === user.id)
  }

  failNext(call: XCall, fault: XFault): void {
    this.#faults.push({ call, fault })
  }

  /** Lets in whoever shows this, for ever. */
  grantAccess(token: string): void {
    this.#access.set(token, Number.POSITIVE_INFINITY)
  }

  expireAccess(): void {
    this.#access.clear()
  }

  revokeRefresh(): void {
    this.#refresh = 'gone'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = 'GET', headers } = request
    const url = new URL(request.url ?? '/', 'http://x')
    const path = url.pathname.replace(/^\/2/, '')
    const seen = { method, path, query: url.searchParams, authorization: headers.authorization ?? '', body }
    this.requests.push(seen)
    const call = callOf(seen)
    const index = this.#faults.findIndex((each) => each.call === call)
    const fault = index === -1 ? undefined : this.#faults.splice(index, 1)[0]?.fault
    if (fault?.kind === 'cut') return void request.socket.destroy()
    if (fault?.kind === 'answer') return send(response, { ...fault, headers: { ...fault.headers } })
    const reply = call === undefined ? problem(404, 'Not Found') : this.#reply(call, seen)
    if (fault?.kind === 'accept-but-cut') return void request.socket.destroy()
    if (fault?.kind === 'accept-but-hang') return
    send(response, fault?.kind === 'done-but' ? fault : reply)
  }

  #reply(call: XCall, seen: SeenRequest): Reply {
    if (call === 'token') return this.#token(seen)
    const expiry = this.#access.get(seen.authorization.replace(/^Bearer /, ''))
    if (expiry === undefined || expiry <= this.#clock.now()) return problem(401, 'Unauthorized')
    const reset = String(Math.floor(this.#clock.now() / 1_000) + 900)
    const headers = { 'x-rate-limit-limit': '300', 'x-rate-limit-remaining': '299', 'x-rate-limit-reset': reset }
    return { headers, ...this.#answer(call, seen) }
  }

  #answer(call: Exclude<XCall, 'token'>, { path, query, body }: SeenRequest): Reply {
    const last = path.split('/').at(-1) ?? ''
    switch (call) {
      case 'create':
        return this.#create(JSON.parse(body))
      case 'delete':
        return this.#delete(last)
      case 'me':
        return { status: 200, body: { data: userBody(this.me) } }
      case 'user': {
        const user = [...this.#users.values()].find(({ username }) => username.toLowerCase() === last.toLowerCase())
        return { status: 200, body: user ? { data: userBody(user) } : { errors: [{ title: 'Not Found Error' }] } }
      }
      case 'lookup':
        return path === '/tweets' ? this.#lookup(query) : this.#one(last)
      case 'search':
        return this.#search(query)
      case 'mentions':
        return this.#page(query, 5, (tweet) => this.#mentions(tweet, this.me))
      case 'timeline': {
        const [, , id] = path.split('/')
        const isWanted = ({ author, isRetweet }: StoredTweet) => author.id === id && !isRetweet
        return this.#page(query, 5, isWanted)
      }
    }
  }

  #token({ body, authorization }: SeenRequest): Reply {
    const form = new URLSearchParams(body)
    const basic = `Basic ${Buffer.from(`${form.get('client_id')}:${this.clientSecret}`).toString('base64')}`
    if (this.clientSecret !== undefined && authorization !== basic) {
      return {
        status: 401,
        body: { error: 'unauthorized_client', error_description: 'Missing valid authorization header' },
      }
    }
    if (form.get('refresh_token') !== this.#refresh) {
      return {
        status: 400,
        body: { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
      }
    }
    this.refreshes++
    this.#refresh = `refresh-${this.refreshes}`
    const access = `access-${this.refreshes}`
    this.#access.set(access, this.#clock.now() + 7_200_000)
    const answer = { token_type: 'bearer', expires_in: 7_200, access_token: access, refresh_token: this.#refresh }
    return { status: 200, body: answer }
  }

  #create({ text = '', reply }: { text?: string; reply?: { in_reply_to_tweet_id: string } }): Reply {
    if (!twitter.parseTweet(text).valid) return problem(400, 'Your Tweet text is too long.')
    const parent = this.tweets.find(({ id }) => id === reply?.in_reply_to_tweet_id)
    if (reply !== undefined) {
      if (parent === undefined) {
        return problem(403, 'You attempted to reply to a Tweet that is deleted or not visible to you.')
      }
      if (!this.#takesReply(parent)) {
        return problem(
          403,
          'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.',
        )
      }
    }
    const isKnown = this.by(this.me).some(({ text: known, urls, replyTo }) => {
      return replyTo === parent?.id && bare(lengthen(known, urls)) === bare(escaped(text))
    })
    if (isKnown) return problem(403, 'You are not allowed to create a Tweet with duplicate content.')
    const prefix = parent && parent.author.id !== this.me.id ? `@${parent.author.username} ` : ''
    const tweet = this.add({ author: this.me, text: `${prefix}${text}`, ...(parent && { replyTo: parent.id }) })
    return { status: 201, body: { data: { id: tweet.id, text: tweet.text, edit_history_tweet_ids: [tweet.id] } } }
  }

  #takesReply(parent: StoredTweet): boolean {
    if (this.isEnterprise || parent.author.id === this.me.id) return true
    const quoted = this.tweets.find(({ id }) => id === parent.quotes)
    return this.#mentions(parent, this.me) || quoted?.author.id === this.me.id
  }

  #mentions({ text, author }: StoredTweet, { id, username }: XServerUser): boolean {
    return author.id !== id && namesIn(text).includes(username.toLowerCase())
  }

  #delete(id: string): Reply {
    const index = this.tweets.findIndex((tweet) => tweet.id === id && tweet.author.id === this.me.id)
    if (index === -1) return problem(404, 'Not Found')
    this.tweets.splice(index, 1)
    return { status: 200, body: { data: { deleted: true } } }
  }

  #one(id: string): Reply {
    const tweet = this.tweets.find((each) => each.id === id)
    if (tweet === undefined) return { status: 200, body: { errors: [notFound(id)] } }
    return { status: 200, body: { data: this.#body(tweet), includes: { users: [userBody(tweet.author)] } } }
  }

  #lookup(query: URLSearchParams): Reply {
    const ids = (query.get('ids') ?? '').split(',')
    const found = this.tweets.filter(({ id }) => ids.includes(id))
    const errors = ids.filter((id) => found.every((tweet) => tweet.id !== id)).map(notFound)
    return { status: 200, body: { ...this.#bodies(found), ...(errors.length > 0 && { errors }) } }
  }

  #search(query: URLSearchParams): Reply {
    const wanted = query.get('query') ?? ''
    const since = query.get('since_id')
    if (since !== null && Number(BigInt(since) >> 22n) + epoch < this.#clock.now() - 7 * 86_400_000) {
      return problem(400, "'since_id' must be a tweet id created after 7 days ago.")
    }
    const term = /^"?(.*?)"? -is:retweet$/.exec(wanted)?.[1]
    if (term === undefined) return problem(400, 'One or more parameters to your request was invalid.')
    return this.#page(query, 10, ({ text, isRetweet }) => !isRetweet && text.toLowerCase().includes(term.toLowerCase()))
  }

  #page(query: URLSearchParams, resultsMin: number, isWanted: (tweet: StoredTweet) => boolean): Reply {
    const max = Number(query.get('max_results') ?? 10)
    if (!(max >= resultsMin && max <= 100)) return problem(400, `max_results must be ${resultsMin} to 100`)
    const since = BigInt(query.get('since_id') ?? 0)
    const start = Date.parse(query.get('start_time') ?? '1970-01-01T00:00:00Z')
    const all = this.tweets
      .filter((tweet) => isWanted(tweet) && BigInt(tweet.id) > since && tweet.createdAt >= start)
      .reverse()
    const from = Number(query.get('pagination_token')?.replace('page-', '') ?? 0)
    const to = from + Math.min(max, this.pageMax)
    const some = all.slice(from, to)
    const meta = { result_count: some.length, ...(to < all.length && { next_token: `page-${to}` }) }
    return { status: 200, body: { ...(some.length > 0 && this.#bodies(some)), meta } }
  }

  #bodies(tweets: readonly StoredTweet[]): object {
    const users = [...new Set(tweets.map(({ author }) => author))].map(userBody)
    return { data: tweets.map((tweet) => this.#body(tweet)), includes: { users } }
  }

  #body(tweet: StoredTweet): object {
    const { id, text, author, createdAt, urls, replyTo, quotes, isRetweet, media } = tweet
    const parent = this.tweets.find((each) => each.id === replyTo)
    const mentions = [...this.#users.values()].filter((user) => this.#mentions(tweet, user))
    const references = [
      ...(replyTo ? [{ type: 'replied_to', id: replyTo }] : []),
      ...(quotes ? [{ type: 'quoted', id: quotes }] : []),
      ...(isRetweet ? [{ type: 'retweeted', id: '1' }] : []),
    ]
    return {
      id,
      text,
      author_id: author.id,
      created_at: new Date(createdAt).toISOString(),
      conversation_id: replyTo ?? id,
      lang: 'en',
      edit_history_tweet_ids: [id],
      public_metrics: { like_count: 3, retweet_count: 2, reply_count: 1, quote_count: 0, impression_count: 50 },
      ...(references.length > 0 && { referenced_tweets: references }),
      ...(parent && { in_reply_to_user_id: parent.author.id }),
      entities: { urls, mentions: mentions.map((user) => ({ id: user.id, username: user.username })) },
      ...(media > 0 && { attachments: { media_keys: Array.from({ length: media }, (_, key) => `3_${key}`) } }),
    }
  }
}

function callOf({ method, path }: SeenRequest): XCall | undefined {
  if (path === '/oauth2/token') return 'token'
  if (method === 'POST' && path === '/tweets') return 'create'
  if (method === 'DELETE') return 'delete'
  if (path === '/tweets/search/recent') return 'search'
  if (path === '/users/me') return 'me'
  if (/^\/users\/by\/username\//.test(path)) return 'user'
  if (/^\/users\/\d+\/mentions$/.test(path)) return 'mentions'
  if (/^\/users\/\d+\/tweets$/.test(path)) return 'timeline'
  return /^\/tweets(\/\d+)?$/.test(path) ? 'lookup' : undefined
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

function problem(status: number, detail: string): Reply {
  return { status, body: { title: 'Problem', detail, type: 'about:blank', status } }
}

function notFound(id: string): object {
  return { title: 'Not Found Error', resource_id: id, type: 'https://api.twitter.com/2/problems/resource-not-found' }
}

function userBody({ id, username, followers }: XServerUser): object {
  const public_metrics = { followers_count: followers, following_count: 10, tweet_count: 42, listed_count: 0 }
  return { id, username, name: username, public_metrics }
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/@(\w+)/g)].map((match) => match[1]!.toLowerCase())
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function shorten(text: string, serial: () => number): Pick<StoredTweet, 'text' | 'urls'> {
  const urls: { url: string; expanded_url: string }[] = []
  let short = ''
  let end = 0
  for (const { url, indices } of twitter.extractUrlsWithIndices(text)) {
    const link = { url: `https://t.co/a${serial()}`, expanded_url: /^https?:/.test(url) ? url : `http://${url}` }
    urls.push(link)
    short += text.slice(end, indices[0]) + link.url
    end = indices[1]
  }
  return { text: short + text.slice(end), urls }
}

function lengthen(text: string, urls: StoredTweet['urls']): string {
  return urls.reduce((long, { url, expanded_url }) => long.replace(url, expanded_url), text)
}

function bare(text: string): string {
  return text.replace(/^(@\w+ )+/, '').replaceAll(/https?:\/\//g, '')
}
