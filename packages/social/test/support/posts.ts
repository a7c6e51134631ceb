import type { NetworkPost } from '../../src/networks/network-adapter.js'
import type { ScoreInput } from '../../src/scoring/scorer.js'

export const start = Date.parse('2026-03-02T12:00:00Z')

/** Nothing about it earns a point but that it is new, text only and not answered yet. */
export function scoreInput(changes: Partial<ScoreInput> = {}): ScoreInput {
  const usual = { text: 'nothing of interest', followers: 0, likes: 0, reposts: 0, replies: 0 }
  return { ...usual, postedAt: start, hasMedia: false, isQuote: false, ...changes }
}

let last = 0

/** A post of a stranger about what the default profile looks for. */
export function networkPost(changes: Partial<NetworkPost> = {}): NetworkPost {
  last += 1
  return {
    ref: { id: `post-${last}` },
    url: `https://social.example/post-${last}`,
    authorId: 'id-of-bea',
    authorUsername: 'bea.example',
    authorFollowers: 2_000,
    text: 'Our AI agents speak MCP',
    postedAt: start,
    likes: 10,
    reposts: 0,
    replies: 0,
    media: 0,
    isQuote: false,
    isRepost: false,
    addressesUs: false,
    ...changes,
  }
}
