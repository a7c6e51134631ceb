export { createSchedulerWorker, SchedulerWorker } from './create-scheduler-worker.js'
export type { SchedulerOptions } from './open-scheduler.js'
