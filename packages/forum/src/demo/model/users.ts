import type { Group, User } from './entities.js'

export type UserOptions = Partial<Omit<User, 'id' | 'username'>>

/** Who there is, by username in lower case, and in which groups they are. */
export class Users {
  readonly #now: () => number
  readonly #byName = new Map<string, User>()
  readonly #groups = new Map<string, Group>()
  #lastId = 0
  #lastGroupId = 40

  constructor(now: () => number) {
    this.#now = now
    for (const [id, name] of automaticGroups) this.addGroup(name, { id, automatic: true, visibility: id < 4 ? 3 : 2 })
    this.#put({ ...this.#user(-1, 'system', { admin: true, moderator: true, trustLevel: 4 }), bot: true })
    this.#put({ ...this.#user(-2, 'discobot', { trustLevel: 4 }), bot: true })
  }

  get all(): readonly User[] {
    return [...this.#byName.values()]
  }

  get groups(): readonly Group[] {
    return [...this.#groups.values()]
  }

  add(username: string, options: UserOptions = {}): User {
    return this.#put(this.#user(++this.#lastId, username, options))
  }

  find(username: string): User | undefined {
    return this.#byName.get(username.toLowerCase())
  }

  /** @throws Error for a mistake in whoever sets the forum up. */
  get(username: string): User {
    const user = this.find(username)
    if (user === undefined) throw new Error(`the forum has no user ${username}`)
    return user
  }

  byEmail(email: string): User | undefined {
    return this.all.find((user) => user.email.toLowerCase() === email.toLowerCase())
  }

  addGroup(name: string, options: Partial<Omit<Group, 'name'>> = {}): Group {
    const group: Group = {
      id: ++this.#lastGroupId,
      name,
      automatic: false,
      members: new Set(),
      visibility: 0,
      membersVisibility: 0,
      mentionable: 0,
      messageable: 0,
      publicAdmission: false,
      publicExit: false,
      allowRequests: false,
      ...options,
    }
    this.#groups.set(name, group)
    return group
  }

  isMember(user: User | undefined, group: string): boolean {
    if (user === undefined) return false
    if (group === 'admins') return user.admin
    if (group === 'moderators') return user.moderator
    if (group === 'staff') return isStaff(user)
    return this.#groups.get(group)?.members.has(user.username) === true
  }

  countOf(group: Group): number {
    return group.automatic ? this.all.filter((user) => this.isMember(user, group.name)).length : group.members.size
  }

  #put(user: User): User {
    this.#byName.set(user.username.toLowerCase(), user)
    return user
  }

  #user(id: number, username: string, options: UserOptions): User {
    return {
      id,
      username,
      name: null,
      email: `${username.toLowerCase()}@village.invalid`,
      trustLevel: 2,
      admin: false,
      moderator: false,
      bot: false,
      bio: null,
      hidden: false,
      active: true,
      approved: true,
      staged: false,
      suspended: false,
      silenced: false,
      createdAt: this.#now(),
      lastSeenAt: this.#now(),
      ...options,
    }
  }
}

export const isStaff = (user: User | undefined): boolean => user !== undefined && (user.admin || user.moderator)

const automaticGroups: readonly (readonly [id: number, name: string])[] = [
  [1, 'admins'],
  [2, 'moderators'],
  [3, 'staff'],
  [10, 'trust_level_0'],
  [11, 'trust_level_1'],
  [12, 'trust_level_2'],
  [13, 'trust_level_3'],
  [14, 'trust_level_4'],
]
