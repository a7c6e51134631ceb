import { countedLength, hashtagsOf, mentionsOf, renderContent } from './mastodon-html.js'

export interface FakeAccount {
  readonly id: string
  readonly username: string
  /** Undefined of those who are at home here. */
  readonly host?: string
  /** `bob`, or `bob@elsewhere.example`. */
  readonly acct: string
  readonly url: string
  followers: number
  following: number
}

export interface FakeMedia {
  readonly id: string
  readonly mime: string
  readonly bytes: number
  readonly description: string | null
  /** Times that it will still be said to be in work. */
  pollsLeft: number
  statusId?: string
}

export interface FakeStatus {
  readonly id: string
  readonly account: FakeAccount
  readonly text: string
  readonly spoilerText: string
  readonly visibility: string
  readonly language: string | null
  readonly inReplyTo?: FakeStatus
  readonly reblogOf?: FakeStatus
  readonly quoteOf?: FakeStatus
  readonly media: readonly FakeMedia[]
  /** UTC ms. */
  readonly createdAt: number
  readonly url: string
  readonly uri: string
  readonly idempotencyKey?: string
  likes: number
  reblogs: number
  replies: number
}

export interface FakeStatusOptions {
  /** Default: a stranger. */
  readonly by?: FakeAccount
  readonly text?: string
  readonly spoilerText?: string
  readonly visibility?: string
  readonly language?: string | null
  readonly inReplyTo?: FakeStatus
  readonly reblogOf?: FakeStatus
  readonly quoteOf?: FakeStatus
  /** UTC ms; default: now. */
  readonly createdAt?: number
  readonly likes?: number
  readonly reblogs?: number
  readonly replies?: number
}

export interface FakeNotification {
  readonly id: string
  readonly type: 'mention' | 'favourite'
  readonly status: FakeStatus
  readonly account: FakeAccount
  readonly createdAt: number
}

/** An error as the API answers it. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const keyMs = 3_600_000
const descriptionMax = 1_500

/** What one server knows, in memory: accounts, posts, files, notifications, and keys for an hour. */
export class MastodonInstance {
  readonly url: string
  readonly me: FakeAccount
  readonly accounts: FakeAccount[] = []
  /** Oldest first; without deleted ones. */
  readonly statuses: FakeStatus[] = []
  readonly notifications: FakeNotification[] = []
  readonly media: FakeMedia[] = []
  readonly #now: () => number
  readonly #characters: number
  readonly #keepsKeys: boolean
  readonly #keys = new Map<string, { readonly status: FakeStatus; readonly at: number }>()
  #sequence = 0

  constructor(options: { url: string; now: () => number; characters: number; keepsKeys: boolean; username: string }) {
    this.url = options.url
    this.#now = options.now
    this.#characters = options.characters
    this.#keepsKeys = options.keepsKeys
    this.me = this.addAccount({ username: options.username, followers: 42, following: 7 })
  }

  addAccount(options: { username: string; host?: string; followers?: number; following?: number }): FakeAccount {
    const { username, host, followers = 100, following = 10 } = options
    const account: FakeAccount = {
      id: this.#nextId(this.#now()),
      username,
      ...(host !== undefined && { host }),
      acct: host === undefined ? username : `${username}@${host}`,
      url: host === undefined ? `${this.url}/@${username}` : `https://${host}/@${username}`,
      followers,
      following,
    }
    this.accounts.push(account)
    return account
  }

  findAccount(acct: string): FakeAccount | undefined {
    const [username, host] = acct.toLowerCase().split('@')
    const isHere = host === undefined || host === new URL(this.url).host
    return this.accounts.find(
      (account) =>
        account.username.toLowerCase() === username && (isHere ? account.host === undefined : account.host === host),
    )
  }

  /** Whoever it addresses among us is notified. */
  addStatus(options: FakeStatusOptions): FakeStatus {
    const by = options.by ?? this.findAccount('stranger') ?? this.addAccount({ username: 'stranger' })
    return this.#store({ text: 'Hello', ...options, by }, [], undefined)
  }

  /** What POST /api/v1/statuses does for our account. */
  post(form: PostForm, key: string | undefined): FakeStatus {
    const known = key === undefined ? undefined : this.#keys.get(key)
    if (this.#keepsKeys && known !== undefined && this.#now() < known.at + keyMs) return known.status
    const inReplyTo = form.in_reply_to_id === undefined ? undefined : this.findStatus(form.in_reply_to_id)
    const media = this.#attachable(form.media_ids ?? [])
    const { status: text = '', spoiler_text: spoilerText = '', visibility = 'public', language = 'en' } = form
    if (text.trim() === '' && media.length === 0) throw new ApiError(422, "Validation failed: Text can't be blank")
    if (countedLength(text, spoilerText) > this.#characters)
      throw new ApiError(422, `Validation failed: Text character limit of ${this.#characters} exceeded`)
    if (!['public', 'unlisted', 'private', 'direct'].includes(visibility))
      throw new ApiError(422, 'Validation failed: Visibility is not included in the list')
    const options = { by: this.me, text, spoilerText, visibility, language, ...(inReplyTo && { inReplyTo }) }
    const status = this.#store(options, media, key)
    for (const each of media) each.statusId = status.id
    if (key !== undefined) this.#keys.set(key, { status, at: this.#now() })
    return status
  }

  /** Throws 404. */
  findStatus(id: string): FakeStatus {
    const found = this.statuses.find((status) => status.id === id)
    if (found === undefined) throw new ApiError(404, 'Record not found')
    return found
  }

  remove(id: string): FakeStatus {
    const status = this.findStatus(id)
    if (status.account !== this.me) throw new ApiError(404, 'Record not found')
    this.statuses.splice(this.statuses.indexOf(status), 1)
    return status
  }

  addMedia(file: { mime: string; bytes: number; description: string | null; polls: number }): FakeMedia {
    if (!/^(image|video|audio)\//.test(file.mime))
      throw new ApiError(422, 'Validation failed: File content type is invalid, File is invalid')
    if ((file.description?.length ?? 0) > descriptionMax)
      throw new ApiError(422, `Validation failed: Description is too long (maximum is ${descriptionMax} characters)`)
    const { mime, bytes, description, polls } = file
    const media: FakeMedia = { id: this.#nextId(this.#now()), mime, bytes, description, pollsLeft: polls }
    this.media.push(media)
    return media
  }

  /** Throws 404, also of a file that is part of a post. */
  findMedia(id: string): FakeMedia {
    const found = this.media.find((media) => media.id === id && media.statusId === undefined)
    if (found === undefined) throw new ApiError(404, 'Record not found')
    return found
  }

  withTag(tag: string): FakeStatus[] {
    return this.statuses.filter(
      ({ visibility, reblogOf, text }) =>
        visibility === 'public' && reblogOf === undefined && hashtagsOf(text).includes(tag.toLowerCase()),
    )
  }

  contentOf({ text }: FakeStatus): string {
    return renderContent(text, { url: this.url, findAccount: (acct) => this.findAccount(acct) })
  }

  mentionedBy({ text }: FakeStatus): FakeAccount[] {
    return [...new Set(mentionsOf(text).flatMap((acct) => this.findAccount(acct) ?? []))]
  }

  #attachable(ids: readonly string[]): FakeMedia[] {
    if (ids.length > 4) throw new ApiError(422, 'Validation failed: Cannot attach more than 4 files')
    return ids.map((id) => {
      const media = this.media.find((each) => each.id === id && each.statusId === undefined)
      if (media === undefined) throw new ApiError(422, 'Validation failed: Media attachments not found')
      if (media.pollsLeft > 0)
        throw new ApiError(422, 'Cannot attach files that have not finished processing. Try again in a moment!')
      return media
    })
  }

  #store(
    options: FakeStatusOptions & { by: FakeAccount; text: string },
    media: readonly FakeMedia[],
    idempotencyKey: string | undefined,
  ): FakeStatus {
    const { by, text, createdAt = this.#now(), inReplyTo, reblogOf, quoteOf } = options
    const id = this.#nextId(createdAt)
    const home = by.host === undefined ? this.url : `https://${by.host}`
    const status: FakeStatus = {
      id,
      account: by,
      text,
      spoilerText: options.spoilerText ?? '',
      visibility: options.visibility ?? 'public',
      language: options.language === undefined ? 'en' : options.language,
      ...(inReplyTo !== undefined && { inReplyTo }),
      ...(reblogOf !== undefined && { reblogOf }),
      ...(quoteOf !== undefined && { quoteOf }),
      media,
      createdAt,
      url: `${home}/@${by.username}/${id}`,
      uri: `${home}/users/${by.username}/statuses/${id}`,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      likes: options.likes ?? 0,
      reblogs: options.reblogs ?? 0,
      replies: options.replies ?? 0,
    }
    this.statuses.push(status)
    if (inReplyTo !== undefined) inReplyTo.replies++
    if (by !== this.me && this.mentionedBy(status).includes(this.me)) this.notify('mention', status, by)
    return status
  }

  notify(type: FakeNotification['type'], status: FakeStatus, account: FakeAccount): void {
    const createdAt = this.#now()
    this.notifications.push({ id: String(++this.#sequence + 1_000), type, status, account, createdAt })
  }

  /** A snowflake: ms, then 16 bits that count. */
  #nextId(time: number): string {
    return String((BigInt(time) << 16n) + BigInt(++this.#sequence))
  }
}

export interface PostForm {
  readonly status?: string
  readonly spoiler_text?: string
  readonly visibility?: string
  readonly language?: string
  readonly in_reply_to_id?: string
  readonly media_ids?: readonly string[]
}
