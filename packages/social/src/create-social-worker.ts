import { defineWorker, packageVersion, WorkerProgram } from '@callboard/worker'
import { systemClock } from '@callboard/worker/clock'
import { concurrentCallsMax } from './limits.js'
import { openSocial, type Social, type SocialOptions } from './open-social.js'

/** The worker with its database and networks. Rejects with a SocialConfigError or a StoreError. */
export async function createSocialWorker(options: SocialOptions): Promise<WorkerProgram> {
  let social: Social | undefined
  const worker = defineWorker({
    service: 'social',
    version: packageVersion(import.meta.url),
    concurrency: concurrentCallsMax,
    replicas: 'many',
    holdUntil: () => social?.holdUntil,
  })
  social = await openSocial(worker, options, { clock: systemClock })
  return new WorkerProgram(worker, social)
}
