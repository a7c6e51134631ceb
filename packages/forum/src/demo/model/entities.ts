/** What a forum is made of. Times are UTC ms. */

export interface User {
  readonly id: number
  readonly username: string
  name: string | null
  email: string
  trustLevel: number
  admin: boolean
  moderator: boolean
  /** Like `system`: nobody who types, and nobody whose drafts are kept. */
  readonly bot: boolean
  bio: string | null
  /** Others see neither profile nor activity. */
  hidden: boolean
  active: boolean
  approved: boolean
  staged: boolean
  suspended: boolean
  silenced: boolean
  readonly createdAt: number
  lastSeenAt: number | null
}

export interface Group {
  readonly id: number
  readonly name: string
  readonly automatic: boolean
  readonly members: Set<string>
  /** 0 everybody, 1 logged on, 2 members, 3 staff, 4 owners. */
  readonly visibility: number
  readonly membersVisibility: number
  readonly mentionable: number
  readonly messageable: number
  readonly publicAdmission: boolean
  readonly publicExit: boolean
  readonly allowRequests: boolean
}

export interface Category {
  readonly id: number
  name: string
  slug: string
  parentId: number | null
  color: string
  textColor: string
  description: string | null
  /** The group that may see it; without one everybody may. */
  readonly onlyFor: string | null
}

export interface Tag {
  readonly id: number
  readonly name: string
  readonly group: string | null
}

export interface Post {
  readonly id: number
  readonly topicId: number
  readonly number: number
  readonly username: string
  raw: string
  readonly replyTo: number | null
  readonly createdAt: number
  updatedAt: number
  deletedAt: number | null
  version: number
  editReason: string | null
  readonly likedBy: Set<string>
}

export interface Topic {
  readonly id: number
  title: string
  slug: string
  readonly username: string
  categoryId: number | null
  tags: readonly string[]
  /** All that there ever were: the post with the number n is at n - 1. */
  readonly posts: Post[]
  readonly createdAt: number
  bumpedAt: number
  closed: boolean
  archived: boolean
  visible: boolean
  pinned: boolean
  /** Away: as if it had never been, or with a word that it was. */
  deleted: 'not_found' | 'gone' | null
  /** Does not tell the ids of its posts, however few they are. */
  readonly mega: boolean
  readonly externalId: string | null
  /** Who takes part in a private message; a public topic has none. */
  readonly recipients: Set<string> | null
  /** By username: 0 muted, 1 regular, 2 tracking, 3 watching. */
  readonly levels: Map<string, number>
  /** The last post number that a user has read, by username. */
  readonly readTo: Map<string, number>
  /** Usernames of those who put it into their archive. */
  readonly archivedBy: Set<string>
}

/** A post that waits for a moderator. */
export interface PendingPost {
  readonly id: number
  readonly username: string
  readonly raw: string
  readonly topicId: number | null
  readonly title: string | null
  readonly categoryId: number | null
  readonly tags: readonly string[]
  readonly createdAt: number
  status: 'pending' | 'approved' | 'rejected'
  version: number
}

export interface Notification {
  readonly id: number
  readonly username: string
  /** 1 mentioned, 2 replied, 5 liked, 6 private message, … */
  readonly type: number
  read: boolean
  readonly topicId: number | null
  readonly postNumber: number | null
  readonly data: Readonly<Record<string, unknown>>
  readonly createdAt: number
}

export interface Channel {
  readonly id: number
  readonly title: string
  /** Direct messages have none. */
  readonly slug: string | null
  readonly description: string | null
  readonly kind: 'public' | 'dm'
  status: 'open' | 'closed' | 'read_only' | 'archived'
  readonly members: Set<string>
  readonly messages: ChatMessage[]
  readonly lastRead: Map<string, number>
  /** When somebody last asked for its messages. */
  readonly lastViewed: Map<string, number>
}

export interface ChatMessage {
  readonly id: number
  readonly username: string
  message: string
  edited: boolean
  readonly threadId: number | null
  readonly inReplyTo: number | null
  readonly createdAt: number
}

export interface Upload {
  readonly id: number
  readonly name: string
  readonly extension: string
  readonly sha1: string
  readonly username: string
  readonly bytes: number
  readonly width: number | null
  readonly height: number | null
  /** Let go of where uploads became too many. */
  content: Buffer | null
}
