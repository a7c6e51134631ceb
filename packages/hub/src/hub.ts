import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AuditOutlet, auditOutlet } from './audit/audit-outlet.js'
import type { BrokerSnapshot } from './broker/snapshot.js'
import { BrokerRunner } from './broker-runner.js'
import { type ClientView, withView } from './catalogue-config.js'
import { CatalogueFile } from './catalogue-file.js'
import { CatalogueWait } from './catalogue-wait.js'
import type { HubConfig } from './config.js'
import { agentsWithoutTokens, control, type SupervisedStatus } from './control.js'
import { inspectDefinition } from './definition-check.js'
import { FirstAnswer } from './first-answer.js'
import type { HttpFront } from './http/http-server.js'
import { httpProblem } from './http-problem.js'
import type { Logger } from './hub-log.js'
import { logNotice, logWorkerLog } from './hub-notices.js'
import { Identities } from './identities.js'
import { IdleWatch } from './idle-watch.js'
import { openKeys } from './keys/open-keys.js'
import type { WorkerKeys } from './keys/worker-keys.js'
import { WorkerSockets } from './keys/worker-sockets.js'
import { type Lock, LockedError, takeLock } from './lock.js'
import { instructions } from './mcp/instructions.js'
import { createMcpFront, type McpFront } from './mcp/mcp-server.js'
import { listenMcpSocket, type McpSocket } from './mcp/mcp-socket.js'
import { serveMcpStdio } from './mcp/mcp-stdio.js'
import { EventLoopLag } from './metrics/event-loop-lag.js'
import { type HubStatistics, hubStatistics } from './metrics/hub-statistics.js'
import { PinningDesk } from './pinning/pinning-desk.js'
import { PolicyWatch } from './policy-watch.js'
import type { Identity } from './port.js'
import { reservedServices } from './reserved-services.js'
import { makePrivate, prepareRuntimeDirectory, type RuntimePaths } from './runtime-directory.js'
import { loadSecrets, type Secrets } from './secrets.js'
import { settingsInForce } from './settings-in-force.js'
import { StartError } from './start-error.js'
import { TokenFileError } from './token-file.js'
import { TokenTable } from './token-table.js'
import { TokenWatch } from './token-watch.js'

export interface HubOptions {
  readonly config: HubConfig
  readonly version: string
  readonly log: Logger
  /** Services whose workers come along: without a kept catalogue the first list waits for them, a little. */
  readonly expects: readonly string[]
  /** Also speak MCP here, and end with it. */
  readonly stdio?: {
    readonly input: Readable
    readonly output: Writable
    readonly as?: string
    readonly token?: string
  }
  /** Somebody waits for this hub: agents come in first, what they don't need for their first answer after it. */
  readonly isAwaited?: boolean
  /** End after an idle time: nobody will stop a hub that was started by itself. */
  readonly endWhenIdle?: boolean
  /** Told before agents can come in, by the holder of the runtime directory. What it throws ends the start. */
  readonly opening?: () => void
  /** Told of each worker that has signed in, by its service. */
  readonly signedIn?: (service: string) => void
  /** What whoever started us knows of the workers that it keeps running: operators see it. */
  readonly supervised?: () => readonly SupervisedStatus[]
}

export type HubEnd = 'stopped' | 'idle' | 'stdio_closed' | 'down'

export interface RunningHub extends AsyncDisposable {
  /** What workers connect to. */
  readonly workerEndpoint: string
  /** What workers on other machines connect to by key, with the ports that were free. */
  readonly keyedEndpoints: readonly string[]
  readonly mcpSocketPath: string
  readonly signInSecretFile: string
  readonly httpAddresses: readonly { readonly host: string; readonly port: number }[]
  /** Why there is no HTTP although it was wanted. */
  readonly httpProblem: string | undefined
  snapshot(): BrokerSnapshot
  /** Drains the workers shortly, closes everything. Idempotent. */
  stop(): Promise<void>
  /** Resolves when the hub has ended, however it was asked to. */
  readonly ended: Promise<HubEnd>
}

/** A worker may finish within this time when the hub is told to end; all has to be over within two seconds. */
const stopDrainMs = 800

/** UTC ms, whole, that never go back: a step of the system's clock must not move deadlines. */
export const steadyNow = (): number => Math.floor(performance.timeOrigin + performance.now())

/** @throws StartError; then nothing is left behind. */
export async function startHub(options: HubOptions): Promise<RunningHub> {
  const { config } = options
  const paths = await prepareRuntimeDirectory(config.runtimeDirectory)
  await makePrivate(config.dataDirectory, 'CALLBOARD_DATA')
  const lock = await lockDirectory(paths)
  const hub = new Hub(options, paths, lock)
  try {
    await hub.start(await loadSecrets(config.dataDirectory, config.signInSecretFile))
  } catch (error) {
    await hub.stop()
    throw error
  }
  return hub
}

async function lockDirectory(paths: RuntimePaths): Promise<Lock> {
  try {
    return await takeLock(paths.lock)
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    throw new StartError(
      `A hub is running in ${paths.directory} already: use it, end it with "callboard down", or set CALLBOARD_RUNTIME to another directory.`,
      'already_running',
    )
  }
}

class Hub implements RunningHub {
  readonly #options: HubOptions
  readonly #paths: RuntimePaths
  readonly #lock: Lock
  readonly #catalogueFile: CatalogueFile
  readonly #startedAt = steadyNow()
  readonly ended: Promise<HubEnd>
  #resolveEnded: (end: HubEnd) => void = () => undefined
  #router: WorkerSockets | undefined
  #keys: WorkerKeys | undefined
  #runner: BrokerRunner | undefined
  #socket: McpSocket | undefined
  #http: HttpFront | undefined
  #idle: IdleWatch | undefined
  #tokenWatch: TokenWatch | undefined
  #policyWatch: PolicyWatch | undefined
  #lag: EventLoopLag | undefined
  #audit: AuditOutlet | undefined
  #closeStdio: (() => Promise<void>) | undefined
  #pinning: PinningDesk | undefined
  #closeTasks: (() => void) | undefined
  #stopping: Promise<void> | undefined
  #catalogueWait: CatalogueWait | undefined
  signInSecretFile = ''
  keyedEndpoints: readonly string[] = []
  httpProblem: string | undefined

  constructor(options: HubOptions, paths: RuntimePaths, lock: Lock) {
    this.#options = options
    this.#paths = paths
    this.#lock = lock
    this.#catalogueFile = new CatalogueFile(join(options.config.dataDirectory, 'catalogue.json'), (error) =>
      options.log.warn({ err: error }, 'the kept catalogue is of no use'),
    )
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve
    })
  }

  get workerEndpoint(): string {
    return `ipc://${this.#paths.workerSocket}`
  }

  get mcpSocketPath(): string {
    return this.#paths.mcpSocket
  }

  get httpAddresses(): readonly { readonly host: string; readonly port: number }[] {
    return this.#http?.addresses ?? []
  }

  snapshot(): BrokerSnapshot {
    return this.#running().broker.snapshot()
  }

  async start(secrets: Secrets): Promise<void> {
    const { log, config, version, stdio } = this.#options
    this.signInSecretFile = secrets.signInFile
    this.#keys = await openKeys(config)
    this.#audit = await auditOutlet(this.#options, secrets, steadyNow)
    const runner = this.#createRunner(secrets)
    this.#lag = new EventLoopLag()
    if (config.pinning === 'on') this.#pinning = await PinningDesk.open(config.dataDirectory, runner, log, steadyNow)
    runner.step({ type: 'catalogue_restored', services: await this.#catalogueFile.read() })
    this.#policyWatch = await PolicyWatch.start(
      config,
      (policy) => runner.step({ type: 'policy_changed', policy }),
      log,
    )
    const tokens = loadTokens(config.dataDirectory)
    const identities = new Identities({
      agents: config.agents,
      operatorSecret: secrets.operator,
      sessionSecret: secrets.session,
      localToken: secrets.local,
      httpOpen: config.httpOpen,
      tokens,
      findRun: (token) => runner.broker.identify(token, steadyNow()),
    })
    this.#tokenWatch = new TokenWatch(
      tokens,
      (credential) => runner.step({ type: 'credential_revoked', credential }),
      log,
    )
    const front = createMcpFront({ hub: runner, log, version, instructions })
    this.#closeTasks = () => front.tasks.close()
    this.keyedEndpoints = await this.#router!.bind(this.workerEndpoint, config.listen)
    if (stdio !== undefined) this.#serveStdio(front, identities, stdio)
    // Without a port that it must have there is no hub; any other is for later.
    const isHttpFirst = this.#options.isAwaited !== true || (config.http !== 'off' && config.http.required)
    if (isHttpFirst) await this.#listenHttp(front, identities, secrets.sessionSeal)
    this.#options.opening?.()
    const first = isHttpFirst ? undefined : new FirstAnswer()
    this.#socket = await listenMcpSocket(front, {
      path: this.#paths.mcpSocket,
      authenticate: (attach) => {
        const identity = identities.attach(attach)
        if ('error' in identity) log.warn({ code: identity.error.code }, 'an agent was refused')
        first?.agentCame()
        return this.#viewing(identity, attach.view)
      },
      control: (command) => control(command, this.#controls(runner, identities)),
    })
    if (this.#options.endWhenIdle === true) {
      this.#idle = new IdleWatch(
        () => runner.broker.snapshot(),
        () => void this.#end('idle'),
      )
    }
    await first?.over
    if (!isHttpFirst && this.#stopping === undefined) await this.#listenHttp(front, identities, secrets.sessionSeal)
    // Agents and operators are in already: one of them may have ended it meanwhile.
    if (this.#stopping !== undefined) await this.#http?.close()
    this.#catalogueWait?.hubIsReady()
    log.info(
      { runtime: this.#paths.directory, http: this.httpAddresses, listen: this.keyedEndpoints, version },
      'hub is up',
    )
  }

  stop(): Promise<void> {
    return this.#end('stopped')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #end(reason: HubEnd): Promise<void> {
    this.#stopping ??= this.#close().finally(() => this.#resolveEnded(reason))
    return this.#stopping
  }

  #createRunner(secrets: Secrets): BrokerRunner {
    const { config, log } = this.#options
    const router = new WorkerSockets({
      keys: this.#keys,
      localUsers: config.localUsers,
      step: (event) => runner.step(event),
      keysProblem: (problem) =>
        log.error({ problem }, 'the list of authorized workers is of no use: nobody new comes in by key'),
    })
    // Asked for when there is a runner.
    const wait = new CatalogueWait({
      isComplete: () =>
        this.#stopping !== undefined ||
        this.#options.expects.every((service) => runner.broker.stateOf(service) !== undefined),
      workerJoined: () => runner.workerJoined(),
      now: steadyNow,
    })
    this.#catalogueWait = wait
    const runner = new BrokerRunner(
      {
        epoch: randomBytes(8).toString('hex'),
        signInSecret: secrets.signIn,
        keys: this.#keys,
        reservedServices,
        random: randomBytes,
        namespace: config.namespace,
        inspect: inspectDefinition,
        audit: this.#audit,
      },
      {
        send: (peer, message) => router.send(peer, message),
        keepCatalogue: (services) => this.#catalogueFile.keep(services),
        notice: (notice) => {
          logNotice(log, notice)
          this.#audit?.notice(notice)
          if (notice.kind === 'worker_joined') this.#options.signedIn?.(notice.service)
        },
        failed: (error, event) => log.error({ err: error, event }, 'the broker failed at an event'),
        audit: this.#audit,
        workerLog: (entry) => logWorkerLog(log, entry),
        now: steadyNow,
      },
      () => wait.known(),
    )
    this.#router = router
    this.#runner = runner
    return runner
  }

  /** What the agent gets into its context, by the configuration and by its own wish. */
  #viewing<Refusal extends { readonly error: object }>(who: Identity | Refusal, wish?: ClientView): Identity | Refusal {
    return 'error' in who ? who : withView(who, this.#options.config, wish)
  }

  #serveStdio(front: McpFront, identities: Identities, stdio: NonNullable<HubOptions['stdio']>): void {
    const attach = {
      ...(stdio.as === undefined ? {} : { as: stdio.as }),
      ...(stdio.token === undefined ? {} : { token: stdio.token }),
      key: randomBytes(16).toString('hex'),
    }
    const identity = this.#viewing(identities.attach(attach))
    if ('error' in identity) throw new StartError(identity.error.message)
    const served = serveMcpStdio(front, { identity, input: stdio.input, output: stdio.output })
    this.#closeStdio = () => served.close()
    void served.closed.then(() => this.#end('stdio_closed'))
  }

  async #listenHttp(front: McpFront, identities: Identities, sessionKey: Uint8Array): Promise<void> {
    const { http } = this.#options.config
    if (http === 'off') return
    try {
      // Loaded here: an agent on stdio has its first answer before HTTP is up.
      const { listenHttp } = await import('./http/http-server.js')
      const { httpAuthentication } = await import('./http/authentication.js')
      const authenticate = await httpAuthentication({ identities, oauth: http.oauth, log: this.#options.log })
      this.#http = await listenHttp(front, {
        addresses: http.addresses,
        origins: http.origins,
        ...(http.publicUrl !== undefined && { publicUrl: http.publicUrl }),
        obstacles: () => this.#obstacles(),
        sessionKey,
        metrics: { read: () => this.#statistics(), isOpen: http.metrics === 'open' },
        authenticate: (attach) => {
          const who = authenticate(attach)
          const viewing = (found: Awaited<typeof who>) => this.#viewing(found, attach.view)
          return who instanceof Promise ? who.then(viewing) : viewing(who)
        },
        ...(http.oauth !== undefined && { oauth: http.oauth }),
      })
    } catch (error) {
      const problem = httpProblem(error)
      if (http.required) throw new StartError(problem)
      this.httpProblem = problem
      this.#options.log.warn({ problem }, 'going on without HTTP')
    }
  }

  #statistics(): HubStatistics {
    const runner = this.#running()
    // The broker's time is that of its last event.
    runner.step({ type: 'tick' })
    return hubStatistics(
      this.#options.version,
      steadyNow(),
      runner.broker.statistics(),
      this.#lag!.read(),
      this.#audit?.counts,
    )
  }

  /** Why a client should not come yet, or no more. */
  #obstacles(): string[] {
    if (this.#stopping !== undefined) return ['shutting_down']
    return this.#catalogueWait?.isKnown === true ? [] : ['catalogue_unknown']
  }

  #controls(runner: BrokerRunner, identities: Identities): Parameters<typeof control>[1] {
    const { version, config } = this.#options
    const issuer = config.http === 'off' ? undefined : config.http.oauth?.issuer
    return {
      isOperator: (token) => identities.isOperator(token),
      snapshot: () => ({
        hub: {
          pid: process.pid,
          version,
          startedAt: this.#startedAt,
          runtime: this.#paths.directory,
          http: this.httpAddresses,
          ...(this.httpProblem === undefined ? {} : { httpProblem: this.httpProblem }),
          ...(issuer === undefined ? {} : { issuer }),
          agents: agentsWithoutTokens(config.agents),
          keptConnections: this.#http?.keptConnections ?? 0,
          keyed: this.#keys?.describe(this.keyedEndpoints),
          settings: settingsInForce(config, this.#policyWatch?.fileInForce),
          supervised: this.#options.supervised?.() ?? [],
        },
        snapshot: runner.broker.snapshot(),
      }),
      statistics: () => this.#statistics(),
      drain: (target, drainMs) => runner.step({ type: 'drain', target, drainMs }),
      stateOf: (service) => runner.broker.stateOf(service),
      forget: (service) => runner.step({ type: 'forget', service }),
      pinning: (command) => this.#pinning?.command(command),
      // The answer must be out before the socket closes.
      down: () => void setImmediate(() => void this.#end('down')),
    }
  }

  async #close(): Promise<void> {
    this.#idle?.close()
    this.#tokenWatch?.close()
    this.#policyWatch?.close()
    this.#lag?.[Symbol.dispose]()
    this.#http?.drain()
    await this.#drainWorkers()
    // Whoever still waits is told so while there is a wire; some of it takes a turn of the event loop.
    this.#runner?.close()
    await nextTurn()
    await Promise.allSettled([this.#socket?.close(), this.#http?.close(), this.#closeStdio?.()])
    this.#closeTasks?.()
    await this.#router?.close()
    this.#keys?.close()
    await rm(this.#paths.workerSocket, { force: true })
    await this.#catalogueFile.flush()
    await this.#audit?.close()
    await this.#lock.release()
    this.#options.log.info({}, 'hub has ended')
  }

  /** Asks the workers to leave, and waits for them a little. */
  async #drainWorkers(): Promise<void> {
    const runner = this.#runner
    if (runner === undefined) return
    runner.step({ type: 'drain', target: { kind: 'all' }, drainMs: stopDrainMs })
    const endsAt = steadyNow() + stopDrainMs
    while (runner.broker.snapshot().workers.length > 0 && steadyNow() < endsAt) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    runner.step({ type: 'stop' })
  }

  #running(): BrokerRunner {
    if (this.#runner === undefined) throw new Error('the hub has not started')
    return this.#runner
  }
}

/** @throws StartError: with a file that says nothing for certain, nobody would be kept out for certain. */
function loadTokens(dataDirectory: string): TokenTable {
  try {
    return new TokenTable(dataDirectory, Date.now)
  } catch (error) {
    throw error instanceof TokenFileError ? new StartError(error.message) : error
  }
}
