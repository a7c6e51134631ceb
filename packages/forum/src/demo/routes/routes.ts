import { aiRoutes } from './ai-routes.js'
import { boardRoutes } from './board-routes.js'
import { chatRoutes } from './chat-routes.js'
import { draftRoutes } from './draft-routes.js'
import { listRoutes } from './list-routes.js'
import { notificationRoutes } from './notification-routes.js'
import { postActionRoutes } from './post-action-routes.js'
import { postRoutes } from './post-routes.js'
import { reviewRoutes } from './review-routes.js'
import type { Route } from './route.js'
import { searchRoutes } from './search-routes.js'
import { siteRoutes } from './site-routes.js'
import { topicChanges } from './topic-changes.js'
import { topicRoutes } from './topic-routes.js'
import { uploadRoutes } from './upload-routes.js'
import { userRoutes } from './user-routes.js'

/** Everything the forum answers; the first that fits a path has it. */
export const routes: readonly Route[] = [
  ...siteRoutes,
  ...boardRoutes,
  ...searchRoutes,
  ...listRoutes,
  ...topicRoutes,
  ...postRoutes,
  ...userRoutes,
  ...draftRoutes,
  ...topicChanges,
  ...postActionRoutes,
  ...chatRoutes,
  ...notificationRoutes,
  ...uploadRoutes,
  ...reviewRoutes,
  ...aiRoutes,
]
