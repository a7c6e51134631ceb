import { defineWorker, type Worker } from '@callboard/worker'
import { parseSocialConfig, readSecrets } from './config.js'
import type { Variables } from './environment.js'

export interface SocialOptions {
  /** Holds the database, unless `databaseUrl` is given; files that hold secrets are looked for from here on. */
  readonly dataDirectory: string
  readonly databaseUrl?: string
  /** Section `social` of callboard.config.json; absent means the defaults. */
  readonly config?: unknown
  /** Default: the environment. */
  readonly variables?: Variables
}

/** Rejects with a SocialConfigError. */
export async function createSocialWorker({ config, dataDirectory }: SocialOptions): Promise<Pick<Worker, 'run'>> {
  await readSecrets(parseSocialConfig(config), dataDirectory)
  return defineWorker({ service: 'social', version: '0.1.0', replicas: 'many' })
}
