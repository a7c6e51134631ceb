import { createHash, randomBytes } from 'node:crypto'

export interface AdminKey {
  readonly key: string
  readonly username: string
}

export interface UserKey {
  readonly key: string
  readonly clientId: string
}

/** The keys of one forum. Two forums have none in common, unless they grow from the same seed. */
export class Keys {
  readonly admin: AdminKey
  readonly #seed: string
  readonly #users = new Map<string, { readonly username: string; readonly readOnly: boolean }>()

  constructor(seed: string = randomBytes(32).toString('hex')) {
    this.#seed = seed
    this.admin = { key: this.#derive('admin'), username: 'system' }
  }

  /** The same key, which may act as anybody. */
  adminAs(username: string): AdminKey {
    return { ...this.admin, username }
  }

  user(username: string): UserKey {
    return this.#userKey(username, false)
  }

  /** Good for GET only. */
  readOnly(username: string): UserKey {
    return this.#userKey(username, true)
  }

  /** Whose the key is. */
  ownerOf(key: string): { readonly username: string; readonly readOnly: boolean } | undefined {
    return this.#users.get(key)
  }

  /** The key is no longer good. */
  revoke(key: string): void {
    this.#users.delete(key)
  }

  #userKey(username: string, readOnly: boolean): UserKey {
    const role = `${readOnly ? 'read-only' : 'user'} ${username}`
    const key = this.#derive(role)
    this.#users.set(key, { username, readOnly })
    return { key, clientId: `client-${this.#derive(`client ${role}`).slice(-16)}` }
  }

  #derive(role: string): string {
    return `demo-${createHash('sha256').update(`${this.#seed} ${role}`).digest('hex').slice(0, 40)}`
  }
}
