import type { DiscoveredPost, ScoredPost } from '../discovery/discovered-posts.js'
import { autopilotPostAgeMsMax, candidatePagesMax, candidatesPerPage } from '../limits.js'
import type { AutopilotParts } from './autopilot.js'
import type { ReplySource } from './reply-pass.js'

/** Posts of that source which score enough now, can be replied to, and are not too old; best first. */
export async function* candidates(
  { discovered, foundation, network }: AutopilotParts,
  source: ReplySource,
): AsyncGenerator<ScoredPost> {
  const { config, clock } = foundation
  const notBefore = clock.now() - autopilotPostAgeMsMax
  let cursor: string | undefined
  for (let page = 0; page < candidatePagesMax; page += 1) {
    const asked = await discovered.feed({
      network: network.name,
      minScore: config.scoring.threshold,
      limit: candidatesPerPage,
      ...(cursor !== undefined && { cursor }),
    })
    for (const found of asked.posts) {
      const { post, score } = found
      const isFit = passOf(post) === source && post.can_reply === 1 && post.posted_at >= notBefore
      if (isFit && score.meets_threshold) yield found
    }
    cursor = asked.cursor
    if (cursor === undefined) return
  }
}

/** Which pass answers it. A search may come first upon a post that addresses us; samples are there to be found. */
function passOf({ source, addresses_us }: DiscoveredPost): ReplySource {
  if (source === 'target') return 'target'
  return source === 'mention' || addresses_us === 1 ? 'mention' : 'search'
}
