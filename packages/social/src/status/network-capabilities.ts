import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { LengthRule } from '../text/length-rule.js'

/** What our account may do on a network, as agents are told. */
export interface NetworkCapabilities {
  readonly network: string
  readonly tier: string
  /** How long a post may be. */
  readonly limit: number
  readonly unit: string
  /** In words: to whom it may reply. */
  readonly reply_rule: string
  readonly can_post: boolean
  readonly can_reply: boolean
  readonly can_search: boolean
  readonly can_discover: boolean
  readonly can_attach: boolean
  readonly media_max: number
}

export function networkCapabilities({ name, capabilities, lengthRule }: NetworkAdapter): NetworkCapabilities {
  return {
    network: name,
    tier: capabilities.tier,
    ...lengthOf(lengthRule),
    reply_rule: capabilities.replyRule,
    can_post: capabilities.canPost,
    can_reply: capabilities.canReply,
    can_search: capabilities.canSearch,
    can_discover: capabilities.canDiscover,
    can_attach: capabilities.canAttach,
    media_max: capabilities.mediaMax,
  }
}

function lengthOf(rule: LengthRule): { readonly limit: number; readonly unit: string } {
  switch (rule.kind) {
    case 'weighted':
      return { limit: 280, unit: 'weighted characters' }
    case 'graphemes':
      return { limit: rule.max, unit: 'graphemes' }
    case 'short-urls':
      return { limit: rule.max, unit: 'characters' }
  }
}
