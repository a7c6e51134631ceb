import type { FakeAccount, FakeMedia, FakeNotification, FakeStatus, MastodonInstance } from './mastodon-instance.js'

// The JSON of Mastodon 4.3, every key that clients may read.

export function accountEntity(instance: MastodonInstance, account: FakeAccount): object {
  const own = instance.statuses.filter((status) => status.account === account)
  const picture = `${instance.url}/avatars/original/missing.png`
  return {
    id: account.id,
    username: account.username,
    acct: account.acct,
    display_name: account.username,
    locked: false,
    bot: false,
    discoverable: true,
    group: false,
    created_at: '2024-01-01T00:00:00.000Z',
    note: '<p>Somebody</p>',
    url: account.url,
    uri: account.url.replace('/@', '/users/'),
    avatar: picture,
    avatar_static: picture,
    header: picture,
    header_static: picture,
    followers_count: account.followers,
    following_count: account.following,
    statuses_count: own.length,
    last_status_at: own.length === 0 ? null : new Date(own.at(-1)!.createdAt).toISOString().slice(0, 10),
    emojis: [],
    fields: [],
    roles: [],
  }
}

export function statusEntity(instance: MastodonInstance, status: FakeStatus): object {
  return {
    id: status.id,
    created_at: new Date(status.createdAt).toISOString(),
    in_reply_to_id: status.inReplyTo?.id ?? null,
    in_reply_to_account_id: status.inReplyTo?.account.id ?? null,
    sensitive: status.spoilerText !== '',
    spoiler_text: status.spoilerText,
    visibility: status.visibility,
    language: status.language,
    uri: status.uri,
    url: status.url,
    replies_count: status.replies,
    reblogs_count: status.reblogs,
    favourites_count: status.likes,
    edited_at: null,
    favourited: false,
    reblogged: false,
    muted: false,
    bookmarked: false,
    pinned: false,
    content: instance.contentOf(status),
    filtered: [],
    reblog: status.reblogOf === undefined ? null : statusEntity(instance, status.reblogOf),
    quote:
      status.quoteOf === undefined
        ? null
        : { state: 'accepted', quoted_status: statusEntity(instance, status.quoteOf) },
    application: { name: 'Callboard', website: null },
    account: accountEntity(instance, status.account),
    media_attachments: status.media.map((media) => mediaEntity(instance, media)),
    mentions: instance.mentionedBy(status).map(({ id, username, url, acct }) => ({ id, username, url, acct })),
    tags: [],
    emojis: [],
    card: null,
    poll: null,
  }
}

export function mediaEntity(instance: MastodonInstance, media: FakeMedia): object {
  const url = `${instance.url}/media/${media.id}`
  return {
    id: media.id,
    type: media.mime.split('/')[0],
    url: media.pollsLeft > 0 ? null : url,
    preview_url: media.pollsLeft > 0 ? null : `${url}/small`,
    remote_url: null,
    preview_remote_url: null,
    text_url: null,
    meta: {},
    description: media.description,
    blurhash: null,
  }
}

export function notificationEntity(instance: MastodonInstance, notification: FakeNotification): object {
  return {
    id: notification.id,
    type: notification.type,
    created_at: new Date(notification.createdAt).toISOString(),
    group_key: `ungrouped-${notification.id}`,
    account: accountEntity(instance, notification.account),
    status: statusEntity(instance, notification.status),
  }
}

const limits = (characters: number) => ({
  accounts: { max_featured_tags: 10 },
  statuses: { max_characters: characters, max_media_attachments: 4, characters_reserved_per_url: 23 },
  media_attachments: {
    supported_mime_types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'video/mp4', 'audio/mpeg'],
    image_size_limit: 16_777_216,
    image_matrix_limit: 33_177_600,
    video_size_limit: 103_809_024,
    video_frame_rate_limit: 120,
    video_matrix_limit: 8_294_400,
    description_limit: 1_500,
  },
  polls: { max_options: 4, max_characters_per_option: 50, min_expiration: 300, max_expiration: 2_629_746 },
})

export function instanceEntity(instance: MastodonInstance, characters: number): object {
  return {
    domain: new URL(instance.url).host,
    title: 'Test',
    version: '4.3.2',
    source_url: 'https://github.com/mastodon/mastodon',
    description: '',
    usage: { users: { active_month: 1 } },
    languages: ['en'],
    configuration: { urls: { streaming: instance.url }, ...limits(characters), translation: { enabled: false } },
    registrations: { enabled: false, approval_required: false, message: null },
    contact: { email: '', account: null },
    rules: [],
  }
}

export function instanceEntityV1(instance: MastodonInstance, characters: number): object {
  return {
    uri: new URL(instance.url).host,
    title: 'Test',
    short_description: '',
    description: '',
    email: '',
    version: '3.5.3',
    urls: { streaming_api: instance.url },
    stats: { user_count: 1, status_count: 0, domain_count: 1 },
    languages: ['en'],
    registrations: false,
    approval_required: false,
    invites_enabled: false,
    configuration: limits(characters),
    contact_account: null,
    rules: [],
  }
}
