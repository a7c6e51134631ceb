import { randomInt } from 'node:crypto'
import { openStore } from '@callboard/store'
import type { Worker } from '@callboard/worker'
import type { Clock } from '@callboard/worker/clock'
import { ForumConfigError, parseForumConfig } from './config.js'
import { readEnvironment, type Variables } from './environment.js'
import { ForumFailure } from './failure/forum-failure.js'
import type { Foundation } from './foundation.js'
import { anonymous } from './http/credential.js'
import { SiteClients } from './http/site-clients.js'
import { tetherCheckMs } from './limits.js'
import { forumLog, logStart } from './log.js'
import { migrations } from './records/migrations.js'
import type { ForumSchema } from './records/schema.js'
import { allResources } from './resources/all-resources.js'
import { serveResource } from './resources/serve-resource.js'
import { SecretRedactor } from './secrets/secret-redactor.js'
import { SessionSites } from './sites/session-sites.js'
import { remoteToolsOf, showSelection } from './sites/show-selection.js'
import { SelectedSites, type SiteDesk, TetheredSite } from './sites/site-desk.js'
import { SiteOpener } from './sites/site-opener.js'
import { whyNoWrites } from './sites/write-permission.js'
import { allTools } from './tools/all-tools.js'
import { serveSelectSite } from './tools/select-site-tool.js'
import { type ServingParts, serveTool } from './tools/serve-tool.js'
import { Writer } from './writes/run-write.js'

export interface ForumOptions {
  /** Holds the database, unless `databaseUrl` is given. */
  readonly dataDirectory: string
  readonly databaseUrl?: string
  /** Section `forum` of callboard.config.json; absent means the defaults. */
  readonly config?: unknown
  /** What was found out while the section was put together, for the log; sentences. */
  readonly warnings?: readonly string[]
  /** Default: the environment. */
  readonly variables?: Variables
}

/** What it takes from outside of its process. */
export interface Surroundings {
  readonly clock: Clock
  /** 0 to 1, 1 excluded. */
  readonly random?: () => number
}

/** Everything behind the tools. */
export interface Forum {
  /** Closes the database. Idempotent. */
  close(): Promise<void>
}

/** Registers tools and resources, too. Rejects with a ForumConfigError or a StoreError. */
export async function openForum(worker: Worker, options: ForumOptions, surroundings: Surroundings): Promise<Forum> {
  const { clock, random = cryptoRandom } = surroundings
  const { logLevel, home } = readEnvironment(options.variables)
  const config = parseForumConfig(options.config, { logLevel, home, warnings: options.warnings })
  const redactor = new SecretRedactor(config.secrets)
  const log = forumLog(config.logLevel, redactor)
  logStart(log, config)
  const store = await openStore<ForumSchema>({
    name: 'forum',
    migrations,
    dataDirectory: options.dataDirectory,
    ...(options.databaseUrl !== undefined && { databaseUrl: options.databaseUrl }),
    // What was sent is never sent again, whatever happens to the power.
    durability: 'full',
    // Replicas keep one pace and one journal.
    access: 'shared',
  })
  try {
    await compose(worker, { config, store, clock, random, log, redactor })
  } catch (error) {
    await store.close()
    throw error
  }
  let closing: Promise<void> | undefined
  return {
    close: () => {
      closing ??= store.close()
      return closing
    },
  }
}

async function compose(worker: Worker, foundation: Foundation): Promise<void> {
  const { config, log, redactor } = foundation
  const parts = { ...foundation, writer: new Writer(foundation) }
  const opener = new SiteOpener({ config, log, redactor, clients: new SiteClients(foundation) })
  const tools = allTools(foundation)
  const writeTools = tools.filter(({ kind }) => kind === 'write').map(({ name }) => name)
  const desk =
    config.site === undefined
      ? selectedSites(worker, writeTools, opener, parts)
      : await tetheredSite(worker, config.site, opener, parts)
  for (const tool of tools) serveTool(worker, tool, { ...parts, desk })
  for (const resource of allResources) serveResource(worker, resource, { ...parts, desk })
}

type Parts = Omit<ServingParts, 'desk'>

function selectedSites(worker: Worker, writeTools: readonly string[], opener: SiteOpener, parts: Parts): SiteDesk {
  const sites = new SessionSites(parts.clock, (session) => show(session, undefined))
  const desk = new SelectedSites(sites, (session, selection) => show(session, selection))
  const show = showSelection(worker, writeTools, { ...parts, desk })
  worker.onSessionClosed((session) => sites.end(session))
  serveSelectSite(worker, { ...parts, desk, opener })
  return desk
}

async function tetheredSite(worker: Worker, site: string, opener: SiteOpener, parts: Parts): Promise<SiteDesk> {
  const { config, clock, log, redactor } = parts
  const refusal = whyNoWrites(config, site, config.credentials.get(site) ?? anonymous)
  const desk: TetheredSite = new TetheredSite(
    (scope) => opener.openBase(site, scope),
    (selection) => {
      for (const { name, spec, handler } of remoteToolsOf(selection, { ...parts, desk }))
        worker.tool(name, spec, handler)
    },
    refusal === undefined,
  )
  try {
    await desk.open({ deadline: clock.now() + tetherCheckMs, signal: new AbortController().signal })
  } catch (error) {
    if (!(error instanceof ForumFailure)) throw error
    const told = redactor.text(error.message).replace(/\.$/, '')
    if (!error.retryable) throw new ForumConfigError([`forum.site: ${told}`])
    log.warn({ site, code: error.code }, `the forum can't be reached yet, which is tried again: ${error.message}`)
  }
  return desk
}

function cryptoRandom(): number {
  return randomInt(0, 2 ** 32) / 2 ** 32
}
