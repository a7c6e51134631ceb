import type { ContentWriter } from '../content/content-writer.js'
import type { Foundation } from '../foundation.js'
import { composeTweetTool } from './compose-tweet-tool.js'
import { type DecisionParts, decisionTools } from './decision-tools.js'
import type { FeedParts } from './feed-page.js'
import { generateReplyTool } from './generate-reply-tool.js'
import { generateThreadTool } from './generate-thread-tool.js'
import { generateTweetTool } from './generate-tweet-tool.js'
import { getActionCountsTool } from './get-action-counts-tool.js'
import { getActionLogTool } from './get-action-log-tool.js'
import { type GetCapabilitiesParts, getCapabilitiesTool } from './get-capabilities-tool.js'
import { getConfigTool } from './get-config-tool.js'
import { getDiscoveryFeedTool } from './get-discovery-feed-tool.js'
import { getFollowerTrendTool } from './get-follower-trend-tool.js'
import { getModeTool } from './get-mode-tool.js'
import { getRateLimitsTool } from './get-rate-limits-tool.js'
import { getRecentRepliesTool } from './get-recent-replies-tool.js'
import { getReplyCountTodayTool } from './get-reply-count-today-tool.js'
import { getStatsTool } from './get-stats-tool.js'
import { type HealthCheckParts, healthCheckTool } from './health-check-tool.js'
import { listTargetAccountsTool } from './list-target-accounts-tool.js'
import { listUnrepliedTweetsTool } from './list-unreplied-tweets-tool.js'
import { type ProposalParts, proposalTools } from './proposal-tools.js'
import { queueTools } from './queue-tools.js'
import { type ScoreTweetParts, scoreTweetTool } from './score-tweet-tool.js'
import type { SocialTool } from './social-tool.js'
import { suggestTopicsTool } from './suggest-topics-tool.js'
import { type ValidateConfigParts, validateConfigTool } from './validate-config-tool.js'

export type ToolParts = Foundation &
  GetCapabilitiesParts &
  HealthCheckParts &
  FeedParts &
  ProposalParts &
  DecisionParts &
  ScoreTweetParts &
  ValidateConfigParts & { readonly writer: ContentWriter }

/** Everything that the worker serves: 29 tools for everybody, and 6 with which operators decide. */
export function allTools(parts: ToolParts): readonly SocialTool[] {
  return [
    getStatsTool(parts),
    getFollowerTrendTool(parts),
    getActionLogTool(parts),
    getActionCountsTool(parts),
    getRateLimitsTool(parts),
    getRecentRepliesTool(parts),
    getReplyCountTodayTool(parts),
    listUnrepliedTweetsTool(parts),
    listTargetAccountsTool(parts),
    scoreTweetTool(parts),
    getDiscoveryFeedTool(parts),
    suggestTopicsTool({ foundation: parts, networks: parts.networks }),
    generateReplyTool(parts),
    generateTweetTool(parts),
    generateThreadTool(parts),
    composeTweetTool(parts),
    ...queueTools(parts),
    ...proposalTools(parts),
    ...decisionTools(parts),
    getConfigTool(parts),
    validateConfigTool(parts),
    healthCheckTool(parts),
    getCapabilitiesTool(parts),
    getModeTool(parts),
  ]
}
