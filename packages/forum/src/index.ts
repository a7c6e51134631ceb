export { createForumWorker } from './create-forum-worker.js'
export type { ForumOptions } from './open-forum.js'
