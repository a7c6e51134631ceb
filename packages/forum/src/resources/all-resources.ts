import { categoriesResource } from './categories-resource.js'
import { chatChannelsResource } from './chat-channels-resource.js'
import { draftsResource } from './drafts-resource.js'
import type { ForumResource } from './forum-resource.js'
import { groupsResource } from './groups-resource.js'
import { tagsResource } from './tags-resource.js'
import { userChatChannelsResource } from './user-chat-channels-resource.js'

export const allResources: readonly ForumResource[] = [
  categoriesResource,
  tagsResource,
  groupsResource,
  chatChannelsResource,
  userChatChannelsResource,
  draftsResource,
]
