import { randomInt, randomUUID } from 'node:crypto'
import { openStore } from '@callboard/store'
import type { Worker } from '@callboard/worker'
import type { Clock } from '@callboard/worker/clock'
import { ProposalDesk } from './approval/proposal-desk.js'
import { type NetworkName, parseSocialConfig, readSecrets } from './config.js'
import { openContentWriter } from './content/open-content-writer.js'
import { chooseTopic as chooseRankedTopic } from './content/topics/choose-topic.js'
import { rankTopics } from './content/topics/rank-topics.js'
import { DiscoveredPosts } from './discovery/discovered-posts.js'
import { readEnvironment, type Variables } from './environment.js'
import type { Foundation } from './foundation.js'
import { HttpClient } from './http/http-client.js'
import { stderrLog } from './log.js'
import { LoopRunner } from './loops/loop-runner.js'
import { socialLoops } from './loops/social-loops.js'
import { upkeepLoops } from './loops/upkeep-loops.js'
import { MediaStore } from './media/media-store.js'
import { openNetworks } from './networks/open-networks.js'
import { safetyProblem } from './policy/safety-checks.js'
import { Publisher } from './publishing/publisher.js'
import { migrations } from './records/migrations.js'
import type { SocialSchema } from './records/schema.js'
import { Scorer } from './scoring/scorer.js'
import { allTools } from './tools/all-tools.js'
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
  const config = await readSecrets(parseSocialConfig(options.config), options.dataDirectory)
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
  try {
    return await compose(worker, options, { config, store, clock, random, log })
  } catch (error) {
    await store.close()
    throw error
  }
}

async function compose(worker: Worker, options: SocialOptions, foundation: Foundation): Promise<Social> {
  const { config, store, clock } = foundation
  const http = new HttpClient(clock)
  const networks = await openNetworks(foundation, http)
  const media = new MediaStore({ roots: config.media.roots, clock })
  const scorer = new Scorer(config)
  const discovered = new DiscoveredPosts(foundation, scorer)
  const writer = openContentWriter(foundation, http)
  const publisher = new Publisher({
    ...foundation,
    networks,
    media,
    owner: randomUUID(),
    markReplied: (db, network, remoteId) => discovered.markReplied(db, network, remoteId),
  })
  const wakePublisher = () => publisher.wake()
  const proposals = new ProposalDesk({ ...foundation, networks, wakePublisher })
  const loops = new LoopRunner(foundation, [
    ...upkeepLoops({ foundation, networks, discovered }),
    ...socialLoops({ foundation, networks, discovered, writer, proposals, safetyProblem, chooseTopic }),
  ])
  const parts = { ...foundation, networks, media, proposals, writer, posts: discovered, scorer, wakePublisher }
  registerTools(
    worker,
    allTools({ ...parts, section: options.config, dataDirectory: options.dataDirectory }),
    foundation,
  )

  async function chooseTopic(network: NetworkName): Promise<string | undefined> {
    const ranked = await rankTopics(store.db, { business: config.business, network, now: clock.now() })
    return ranked.length === 0 ? undefined : chooseRankedTopic(ranked, foundation.random).topic
  }

  let closing: Promise<void> | undefined
  return {
    get holdUntil() {
      return publisher.holdUntil
    },
    start: async () => {
      publisher.start()
      loops.start()
      // The configuration may be another one than last time.
      loops.wake('rescore')
    },
    close: () => {
      closing ??= (async () => {
        await Promise.all([publisher.close(), loops.close()])
        await store.close()
      })()
      return closing
    },
  }
}

function cryptoRandom(): number {
  return randomInt(0, 2 ** 32) / 2 ** 32
}
