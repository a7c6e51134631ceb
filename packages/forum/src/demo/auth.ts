import type { IncomingHttpHeaders } from 'node:http'
import type { ForumModel } from './forum-model.js'
import { badCsrf, notLoggedIn, notPermitted, readOnly, wrongKey } from './http/refusal.js'
import type { Keys } from './keys.js'
import type { User } from './model/entities.js'
import type { Setting } from './setting.js'

/** As whom a request came. */
export interface Visitor {
  readonly user: User | undefined
  readonly by: 'nobody' | 'admin-key' | 'user-key'
  readonly mayWrite: boolean
}

const nobody: Visitor = { user: undefined, by: 'nobody', mayWrite: false }

/** @throws Refusal for a key or a name that is not good, whatever was asked for. */
export function identify(headers: IncomingHttpHeaders, keys: Keys, forum: ForumModel): Visitor {
  const apiKey = headers['api-key']
  if (apiKey !== undefined) {
    const user = forum.users.find(String(headers['api-username'] ?? ''))
    if (apiKey !== keys.admin.key || user === undefined) throw wrongKey()
    return { user, by: 'admin-key', mayWrite: true }
  }
  const userKey = headers['user-api-key']
  if (userKey === undefined) return nobody
  const owner = keys.ownerOf(String(userKey))
  const user = owner && forum.users.find(owner.username)
  if (owner === undefined || user === undefined) throw wrongKey()
  return { user, by: 'user-key', mayWrite: !owner.readOnly }
}

/** @throws Refusal. */
export function requireAccess(visitor: Visitor, method: string, path: string, setting: Setting): void {
  const reads = method === 'GET' || method === 'HEAD'
  if (visitor.by !== 'nobody') {
    if (!reads && !visitor.mayWrite) throw notPermitted()
    if (!reads && setting.readOnly) throw readOnly()
    return
  }
  if (setting.loginRequired && path !== '/site/basic-info.json') throw notLoggedIn()
  if (!reads) throw badCsrf()
}

/** @throws Refusal for nobody. */
export function requireUser({ user }: Visitor): User {
  if (user === undefined) throw notLoggedIn()
  return user
}
