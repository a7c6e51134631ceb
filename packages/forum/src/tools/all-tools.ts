import type { Foundation } from '../foundation.js'
import { createCategoryTool } from './create-category-tool.js'
import { createPostTool } from './create-post-tool.js'
import { createPrivateMessageTool } from './create-private-message-tool.js'
import { createTopicTool } from './create-topic-tool.js'
import { createUserTool } from './create-user-tool.js'
import { deleteDraftTool } from './delete-draft-tool.js'
import { filterTopicsTool } from './filter-topics-tool.js'
import type { ForumTool } from './forum-tool.js'
import { getChatMessagesTool } from './get-chat-messages-tool.js'
import { getDraftTool } from './get-draft-tool.js'
import { getInboxTool } from './get-inbox-tool.js'
import { getUserTool } from './get-user-tool.js'
import { listPrivateMessagesTool } from './list-private-messages-tool.js'
import { listUserPostsTool } from './list-user-posts-tool.js'
import { listUsersTool } from './list-users-tool.js'
import { markNotificationsReadTool } from './mark-notifications-read-tool.js'
import { readPostTool } from './read-post-tool.js'
import { readTopicTool } from './read-topic-tool.js'
import { saveDraftTool } from './save-draft-tool.js'
import { searchTool } from './search-tool.js'
import { updatePostTool } from './update-post-tool.js'
import { updateTopicTool } from './update-topic-tool.js'
import { uploadFileTool } from './upload-file-tool.js'

/** Everything that works with the forum of the session: reading first, then what is written. */
export function allTools(parts: Foundation): readonly ForumTool[] {
  return [
    searchTool(parts),
    filterTopicsTool(),
    readTopicTool(parts),
    readPostTool(parts),
    getUserTool(),
    listUserPostsTool(),
    getChatMessagesTool(parts),
    getDraftTool(),
    listUsersTool(),
    listPrivateMessagesTool(),
    getInboxTool(parts),
    createPostTool(),
    createTopicTool(),
    createCategoryTool(),
    createUserTool(),
    saveDraftTool(),
    deleteDraftTool(),
    updatePostTool(parts),
    updateTopicTool(),
    uploadFileTool(parts),
    createPrivateMessageTool(),
    markNotificationsReadTool(),
  ]
}
