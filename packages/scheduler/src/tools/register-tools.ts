import type { Worker } from '@callboard/worker'
import type { Scheduling } from '../engine/scheduling.js'
import type { Foundation } from '../foundation.js'
import type { OutboxDelivery } from '../mail/outbox-delivery.js'
import type { Messages } from '../messages/messages.js'
import type { WebSearch } from '../search/web-search.js'
import type { SocialPosts } from '../social/post-to-social.js'
import type { StatusSources } from '../status/system-status.js'
import { cancelTaskTool } from './cancel-task-tool.js'
import { dropMessageTool } from './drop-message-tool.js'
import { getActivityLogTool } from './get-activity-log-tool.js'
import { getSystemStatusTool } from './get-system-status-tool.js'
import { listRunsTool } from './list-runs-tool.js'
import { listTasksTool } from './list-tasks-tool.js'
import { pauseTaskTool } from './pause-task-tool.js'
import { postToSocialTool } from './post-to-social-tool.js'
import { redriveRunTool } from './redrive-run-tool.js'
import { requeueMessageTool } from './requeue-message-tool.js'
import { resumeTaskTool } from './resume-task-tool.js'
import { scheduleTaskTool } from './schedule-task-tool.js'
import type { SchedulerTool } from './scheduler-tool.js'
import { sendMessageTool } from './send-message-tool.js'
import { serveTool } from './serve-tool.js'
import { setTaskTool } from './set-task-tool.js'
import { triggerEmailTool } from './trigger-email-tool.js'
import { webSearchTool } from './web-search-tool.js'

export interface ToolParts {
  readonly scheduling: Scheduling
  readonly messages: Messages
  readonly outbox: OutboxDelivery
  readonly search: WebSearch
  readonly posts: SocialPosts
  readonly status: StatusSources
}

/** In the order in which agents read them. */
export function registerTools(worker: Worker, foundation: Foundation, parts: ToolParts): void {
  for (const tool of allTools(foundation, parts)) serveTool(worker, tool, foundation)
}

function allTools(foundation: Foundation, parts: ToolParts): readonly SchedulerTool[] {
  const { scheduling, messages, outbox, search, posts, status } = parts
  const tasks = { ...foundation, scheduling }
  return [
    sendMessageTool(foundation, messages, outbox, scheduling),
    triggerEmailTool({ ...foundation, outbox, scheduling }),
    scheduleTaskTool(tasks),
    listTasksTool(tasks),
    pauseTaskTool(tasks),
    resumeTaskTool(tasks),
    cancelTaskTool(tasks),
    getSystemStatusTool(foundation, status),
    getActivityLogTool(foundation),
    webSearchTool(search),
    postToSocialTool(posts),
    dropMessageTool(foundation),
    setTaskTool(tasks),
    listRunsTool(tasks),
    redriveRunTool(tasks),
    requeueMessageTool(foundation, outbox),
  ]
}
