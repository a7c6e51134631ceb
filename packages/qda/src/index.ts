export { createQdaWorker } from './create-qda-worker.js'
export type { QdaOptions } from './open-qda.js'
