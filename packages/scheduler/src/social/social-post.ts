import { createHash } from 'node:crypto'
import { socialUrlMax } from '../limits.js'
import { refusal } from '../refusal.js'

export const platforms = ['twitter', 'linkedin', 'reddit', 'reddit_dm'] as const

export type Platform = (typeof platforms)[number]

/** What is to be published, to the byte. */
export interface SocialPost {
  readonly platform: Platform
  readonly text: string
  /** Where to: what it replies to, or to whom it goes. */
  readonly url?: string
}

/** Identifies the post within its group; also the key under which it is proposed. SHA-256, hex. */
export function hashOf(group: string, { platform, url, text }: SocialPost): string {
  return createHash('sha256')
    .update(JSON.stringify([group, platform, url ?? null, text]))
    .digest('hex')
}

/** Throws INVALID_ARGUMENT when the platform can't do with this `url`. */
export function requireTarget({ platform, url }: SocialPost): void {
  const { isRequired, accepts, form } = targets[platform]
  if (url === undefined) {
    if (!isRequired) return
    throw refusal('INVALID_ARGUMENT', `url: is missing; ${platform} needs ${form}.`, { parameter: 'url' })
  }
  if (accepts(url)) return
  const value = JSON.stringify(url.slice(0, 80))
  throw refusal('INVALID_ARGUMENT', `url: is ${value}, but ${platform} takes ${form}.`, { parameter: 'url' })
}

interface Target {
  readonly isRequired: boolean
  readonly accepts: (url: string) => boolean
  readonly form: string
}

const targets: { readonly [platform in Platform]: Target } = {
  twitter: {
    isRequired: false,
    accepts: (url) => /^https:\/\/(?:x|twitter)\.com\/\w{1,15}\/status\/\d{1,20}$/.test(url),
    form: 'no url for a post, or that of the post to reply to: https://x.com/<user>/status/<digits>',
  },
  linkedin: {
    isRequired: false,
    accepts: () => false,
    form: 'no url: leave it out',
  },
  reddit: {
    isRequired: true,
    accepts: isRedditPost,
    form: 'the https URL of a post on reddit.com or redd.it',
  },
  reddit_dm: {
    isRequired: true,
    accepts: (url) => /^[A-Za-z0-9_-]{3,20}$/.test(url),
    form: 'the name of a user in it: 3 to 20 letters, digits, _ and -, without u/',
  },
}

function isRedditPost(url: string): boolean {
  if (url.length > socialUrlMax || !URL.canParse(url) || /\s/.test(url)) return false
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  if (protocol !== 'https:' || port !== '' || username !== '' || password !== '') return false
  if (hostname === 'redd.it') return /^\/[a-z0-9]{1,16}\/?$/i.test(pathname)
  const isReddit = hostname === 'reddit.com' || hostname.endsWith('.reddit.com')
  return isReddit && /^(?:\/(?:r|user)\/[\w-]{1,64})?\/comments\/[a-z0-9]{1,16}(?:\/|$)/i.test(pathname)
}
