export { createSchedulerWorker, SchedulerWorker, type SchedulerWorkerOptions } from './create-scheduler-worker.js'
