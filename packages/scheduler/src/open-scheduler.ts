import { hostname } from 'node:os'
import { pid } from 'node:process'
import { openStore } from '@callboard/store'
import type { Worker } from '@callboard/worker'
import type { Clock } from '@callboard/worker/clock'
import { HistoryKeeper } from './activity/history-keeper.js'
import { recordActivity } from './activity/record-activity.js'
import { parseSchedulerConfig } from './config.js'
import { Engine } from './engine/engine.js'
import { readEnvironment, type Variables } from './environment.js'
import type { Foundation } from './foundation.js'
import { GroupRegistry } from './groups/group-registry.js'
import { groupPlaces } from './groups/groups-file.js'
import { hubOf } from './hub/hub.js'
import { idMaker } from './ids.js'
import { stderrLog } from './log.js'
import { ImapReceiver } from './mail/imap-receiver.js'
import { OutboxDelivery } from './mail/outbox-delivery.js'
import { type SmtpTransport, smtpTransportOf } from './mail/smtp-transport.js'
import { DigestKeeper } from './messages/digest-keeper.js'
import { MessageDesk } from './messages/message-desk.js'
import { MessageReleases } from './messages/message-releases.js'
import { PostOffice } from './messages/post-office.js'
import { migrations } from './records/migrations.js'
import type { SchedulerSchema } from './records/schema.js'
import { extractionProblem } from './runners/extraction.js'
import { openRunners } from './runners/open-runners.js'
import { killGroup } from './runners/process-identity.js'
import type { Runner } from './runners/runner.js'
import { systemTimeZone } from './schedule/zones.js'
import { WebSearch } from './search/web-search.js'
import { SocialPosts } from './social/post-to-social.js'
import { ProcessKeeper } from './status/process-keeper.js'
import { registerTools } from './tools/register-tools.js'
import { startReview } from './triggers/start-review.js'

export interface SchedulerOptions {
  /** Holds the database (unless `databaseUrl` is given), the groups file and the groups' directories. */
  readonly dataDirectory: string
  readonly databaseUrl?: string
  /** Section `scheduler` of callboard.config.json; absent means the defaults. */
  readonly config?: unknown
  /** Where programs that it starts find the hub: its sockets, and its HTTP. Default: as the environment says. */
  readonly runtimeDirectory?: string
  readonly hubUrl?: string
  /** From which such programs get what a configuration names. Default: the environment. */
  readonly variables?: Variables
}

/** Everything behind the tools. */
export interface Scheduler {
  readonly groups: GroupRegistry
  readonly engine: Engine
  /** UTC ms until which there is something to do or to wait for. */
  readonly holdUntil: number | undefined
  /** Begins to do by itself what is due. */
  start(): Promise<void>
  /** Stops what runs, then closes the database. Idempotent. */
  close(): Promise<void>
}

/** What it takes from outside of its process. */
export interface Surroundings {
  readonly clock: Clock
  /** Default: the server of the configuration. */
  readonly transport?: Pick<SmtpTransport, 'send' | 'check' | 'close' | 'health'>
  /** Default: programs, chat endpoints and calls, as groups and tasks want it. */
  readonly runner?: Runner
}

/** Registers the tools, too. Rejects with a SchedulerConfigError, a GroupsFileError or a StoreError. */
export async function openScheduler(
  worker: Worker,
  options: SchedulerOptions,
  { clock, transport: given, runner }: Surroundings,
): Promise<Scheduler> {
  const environment = readEnvironment(options.variables)
  const config = parseSchedulerConfig(options.config)
  const log = stderrLog(environment.logLevel)
  const { timeZone, warning } = systemTimeZone({
    configured: config.scheduler_tz,
    tz: environment.timeZone,
    intl: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  if (warning !== undefined) log.warn({ timeZone }, warning)
  const transport = given ?? smtpTransportOf(config, clock)
  const store = await openStore<SchedulerSchema>({
    name: 'scheduler',
    migrations,
    dataDirectory: options.dataDirectory,
    ...(options.databaseUrl !== undefined && { databaseUrl: options.databaseUrl }),
    // A schedule that was confirmed survives the power.
    durability: 'full',
    // Replicas share the work.
    access: 'shared',
  })
  const groups = await GroupRegistry.open({
    ...groupPlaces(config, options.dataDirectory),
    store,
    clock,
    log,
    extractionProblem,
  }).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const foundation: Foundation = { config, store, clock, newId: idMaker(clock), groups, log, timeZone }

  const hub = hubOf(worker)
  const processId = foundation.newId('process')
  const keeper = new ProcessKeeper({
    id: processId,
    host: hostname(),
    pid,
    store,
    clock,
    log,
    // What others queue, or leave behind, is only seen by an engine that looks for it.
    onChange: () => engine.wake(),
  })
  const outbox = new OutboxDelivery(foundation, transport)
  const messages = new MessageDesk(foundation, outbox, { startReview: startReview(foundation) })
  const engine: Engine = new Engine({
    ...foundation,
    processId,
    hub,
    messages,
    runner: runner ?? openRunners({ ...foundation, hub, environment, ...placesOf(options, environment) }),
    wakeMail: () => {
      outbox.wake()
      postOffice.wake()
    },
    others: () => keeper.others(),
    killGroup: async (pgid, identity) => void (await killGroup(pgid, identity)),
  })
  const digest = new DigestKeeper(foundation, outbox)
  const releases = new MessageReleases(foundation, outbox)
  const postOffice = new PostOffice(foundation, { delivery: outbox, releases, digest, transport })
  const receiver = new ImapReceiver({ ...foundation, scheduling: engine, messages, outbox })
  const startedAt = clock.monotonic()
  registerTools(worker, foundation, {
    scheduling: engine,
    messages,
    outbox,
    search: new WebSearch(foundation, { environment: environment.variables }),
    posts: new SocialPosts(foundation),
    status: {
      version: worker.options.version,
      startedAt,
      smtp: () => transport?.health ?? { configured: false, connected: false, lastOkAt: null, lastError: null },
      imap: () => receiver.health,
      nextDigestAt: async () => (await digest.status()).nextAt ?? undefined,
    },
  })
  worker.onConnection((state) => engine.hubChanged(state === 'ready'))

  const history = new HistoryKeeper(foundation)
  let isStarted = false
  const start = async () => {
    await groups.start({ scheduling: engine, messages, outbox })
    await keeper.start()
    await history.start()
    isStarted = true
    await record('system_started', `The scheduler started as ${processId}.`)
    postOffice.start()
    receiver.start()
    engine.start()
  }
  const record = (type: 'system_started' | 'system_stopped', summary: string) =>
    recordActivity(store.db, { at: clock.now(), type, summary, details: { process: processId } })
  const closeAll = async () => {
    // First of all what runs: whoever stops us is in a hurry, and a program must not be left behind.
    await Promise.all([engine.close(), receiver.close(), postOffice.close(), history.close()])
    // The database may be what has gone away.
    if (isStarted) await record('system_stopped', `The scheduler ${processId} stopped.`).catch(() => {})
    await keeper.close().catch(() => {})
    await store.close()
  }
  let closing: Promise<void> | undefined
  return {
    groups,
    engine,
    get holdUntil() {
      return engine.holdUntil
    },
    start,
    close: () => {
      closing ??= closeAll()
      return closing
    },
  }
}

function placesOf(options: SchedulerOptions, environment: ReturnType<typeof readEnvironment>) {
  const runtimeDirectory = options.runtimeDirectory ?? environment.runtimeDirectory
  const hubUrl = options.hubUrl ?? environment.hubUrl
  return { ...(runtimeDirectory !== undefined && { runtimeDirectory }), ...(hubUrl !== undefined && { hubUrl }) }
}
