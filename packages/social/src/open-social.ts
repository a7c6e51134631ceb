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

/** Registers the tools, too. Rejects with a SocialConfigError or a StoreError. */
export async function openSocial(worker: Worker, options: SocialOptions, surroundings: Surroundings): Promise<Social> {
  const { clock, random = cryptoRandom } = surroundings
  const config = parseSocialConfig(options.config)
  const log = stderrLog(readEnvironment(options.variables).logLevel)
  const store = await openStore<SocialSchema>({
    name: 'social',
    migrations,
    dataDirectory: options.dataDirectory,
    ...(options.databaseUrl !== undefined && { databaseUrl: options.databaseUrl }),
    // What was sent is never sent again, whatever happens to the power.
    durability: 'full',
    // Replicas share the work.
    access: 'shared',
  })
  const foundation: Foundation = { config, store, clock, random, log }
  const networks = await openNetworks(foundation).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const media = new MediaStore({ roots: config.media.roots, clock })
  const publisher = new Publisher({
    ...foundation,
    networks,
    media,
    owner: randomUUID(),
    markReplied: async () => {},
  })
  const wakePublisher = () => publisher.wake()
  const proposals = new ProposalDesk({ ...foundation, networks, wakePublisher })
  registerTools(
    worker,
    [
      ...queueTools({ ...foundation, networks }),
      ...proposalTools({ ...foundation, networks, proposals, media }),
      ...decisionTools({ ...foundation, networks, wakePublisher }),
    ],
    foundation,
  )
  let closing: Promise<void> | undefined
  const closeAll = async () => {
    await publisher.close()
    await store.close()
  }
  return {
    get holdUntil() {
      return publisher.holdUntil
    },
    start: async () => publisher.start(),
    close: () => {
      closing ??= closeAll()
      return closing
    },
  }
}

function cryptoRandom(): number {
  return randomInt(0, 2 ** 32) / 2 ** 32
}
