import type { SocialConfig } from '../../config.js'
import type { Capabilities } from '../network-adapter.js'

export type XTier = SocialConfig['x']['tier']

/** Prices per request hold there; an unknown tier may be one of them. The others pay by the month. */
export function isPaidByUse(tier: XTier): boolean {
  return tier === 'PayPerUse' || tier === 'unknown'
}

/** `hasLogin`: whether X has let the account in, which is all that is known of an unknown tier. */
export function capabilitiesOf(tier: XTier, hasLogin: boolean): Capabilities {
  const reads = tier !== 'Free' && tier !== 'unknown'
  return {
    tier,
    canPost: tier !== 'unknown' || hasLogin,
    canReply: reads,
    canSearch: reads,
    canDiscover: reads,
    canAttach: false,
    replyRule: replyRules[tier],
    mediaMax: 0,
    mediaBytesMax: 0,
    altTextMax: 0,
  }
}

const toWhoAddressesUs =
  'Only posts whose author mentions or quotes the account (a rule of X since February 2026). X also wants its approval for replies that an AI writes, and forbids replies set off by keywords.'

const replyRules: Readonly<Record<XTier, string>> = {
  Free: 'Nobody: the Free tier takes no replies.',
  Basic: toWhoAddressesUs,
  Pro: toWhoAddressesUs,
  PayPerUse: toWhoAddressesUs,
  Enterprise: 'Anyone. X wants its approval for replies that an AI writes, and forbids replies set off by keywords.',
  unknown: 'Nobody until an operator sets social.x.tier.',
}

/** Why X would refuse our reply to another account's post; undefined where it takes it. */
export function replyRefusalOf(tier: XTier, mentionsOrQuotesUs: boolean): string | undefined {
  switch (tier) {
    case 'Free':
      return 'The Free tier of X takes no replies.'
    case 'unknown':
      return 'It is not known which replies X takes: an operator sets social.x.tier.'
    case 'Enterprise':
      return undefined
    default:
      return mentionsOrQuotesUs ? undefined : 'X takes a reply only where the author mentions or quotes the account.'
  }
}
