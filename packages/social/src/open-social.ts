import { randomInt, randomUUID } from 'node:crypto'
import { openStore } from '@callboard/store'
import type { Worker } from '@callboard/worker'
import { ProposalDesk } from './approval/proposal-desk.js'
import type { Clock } from './clock.js'
import { parseSocialConfig } from './config.js'
import { readEnvironment, type Variables } from './environment.js'
import type { Foundation } from './foundation.js'
import { stderrLog } from './log.js'
import { MediaStore } from './media/media-store.js'
import { openNetworks } from './networks/open-networks.js'
import { Publisher } from './publishing/publisher.js'
import { migrations } from './records/migrations.js'
import type { SocialSchema } from './records/schema.js'
import { decisionTools } from './tools/decision-tools.js'
import { proposalTools } from './tools/proposal-tools.js'
import { queueTools } from './tools/queue-tools.js'
import { registerTools } from './tools/register-tools.js'

export interface SocialOptions {
  /** Holds the database, unless `databaseUrl` is given. */
  readonly dataDirectory: string
  readonly databaseUrl?: string
  /** Section `social` of callboard.config.json; absent means the defaults. */
  readonly config?: unknown
  /** Default: the environment. */
  readonly variables?: Variables
}

/** Everything behind the tools. */
export interface Social {
  /** UTC ms until which there is something to publish or to wait for. */
  readonly holdUntil: number | undefined
  /** Begins to do by itself what is due. */
  start(): Promise<void>
  /** Stops what runs, then closes the database. Idempotent. */
  close(): Promise<void>
}

/** What it takes from outside of its process. */
export interface Surroundings {
  readonly clock: Clock
  /** 0 to 1, 1 excluded. */
  readonly random?: () => number
}
