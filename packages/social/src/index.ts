export { createSocialWorker } from './create-social-worker.js'
export type { SocialOptions } from './open-social.js'
