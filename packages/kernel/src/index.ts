export { KernelConfigError } from './config.js'
export { createKernelWorker, KernelWorker, type KernelWorkerOptions } from './create-kernel-worker.js'
