import { randomUUID } from 'node:crypto'
import {
  concurrencyMax,
  drainMsDefault,
  drainMsMax,
  serviceNamePattern,
  type ToolDefinition,
} from '@callboard/protocol'
import { destination, type Logger, pino } from 'pino'
import type { z } from 'zod'
import type {
  CallOptions,
  Completer,
  ConnectionState,
  PromptSpec,
  ResourceReader,
  ResourceSpec,
  RunningWorker,
  RunOptions,
  ToolResult,
  ToolSpec,
  View,
  Worker,
  WorkerOptions,
} from './api.js'
import { Catalogue, type Prompt } from './catalogue.js'
import { DealerLink } from './dealer.js'
import { endpointProblem, readEnvironment } from './environment.js'
import { CallFailure, SignInRefused } from './errors.js'
import type { HubLink } from './hub-link.js'
import { concurrencyDefault } from './limits.js'
import { LiveWorker, type LiveWorkerOptions, type WorkerListeners } from './live-worker.js'
import { requireFunction, requireInteger, requireKnown, requireText } from './names.js'
import { workerOptions } from './option-names.js'
import { readView } from './read-view.js'
import { stopOnSignals } from './signals.js'
import { type Clock, SteadyClock } from './steady-clock.js'
import { makeTool, type Tool } from './tool.js'
import type { WorkerKeys } from './worker-keys.js'

/** The beginning of every worker. Throws a TypeError for options that no hub would take. */
export function defineWorker(options: WorkerOptions): Worker {
  return new DefinedWorker(options)
}

/** What a worker is connected with; `run` and `start` make it from the environment, tests bring their own. */
export interface Connection {
  readonly link: HubLink
  readonly routingId: string
  readonly instance: string
  readonly secret?: string
  readonly keys?: WorkerKeys
  readonly clock: Clock
  readonly heartbeatMs?: number
  readonly log: LiveWorkerOptions['log']
}

export class DefinedWorker implements Worker {
  readonly options: WorkerOptions
  readonly catalogue = new Catalogue()
  readonly #settled: LiveWorkerOptions['worker']
  readonly #sessionListeners: ((session: string) => unknown)[] = []
  readonly #rootsListeners: ((session: string) => unknown)[] = []
  readonly #subscriptionListeners: ((uri: string, session: string, subscribed: boolean) => unknown)[] = []
  readonly #connectionListeners: ((state: ConnectionState) => unknown)[] = []
  #live: LiveWorker | undefined

  constructor(options: WorkerOptions) {
    this.options = options
    this.#settled = settle(options)
  }

  tool<Input extends z.ZodObject, Output extends z.ZodType>(
    name: string,
    spec: ToolSpec<Input, Output>,
    handler: (input: z.output<Input>, context: Parameters<Tool['handler']>[1]) => unknown,
  ): this {
    this.catalogue.addTool(makeTool(name, spec, handler as Tool['handler']))
    return this.#changed()
  }

  resource(uri: string, spec: ResourceSpec, read: ResourceReader): this {
    this.catalogue.addResource(uri, spec, read)
    return this.#changed()
  }

  resourceTemplate(
    uriTemplate: string,
    spec: ResourceSpec & { readonly complete?: Completer },
    read: ResourceReader,
  ): this {
    this.catalogue.addTemplate(uriTemplate, spec, read)
    return this.#changed()
  }

  prompt(name: string, spec: PromptSpec, get: Prompt['get']): this {
    this.catalogue.addPrompt(name, spec, get)
    return this.#changed()
  }

  remove(kind: Parameters<Worker['remove']>[0], name: string): this {
    return this.catalogue.remove(kind, name) ? this.#changed() : this
  }

  setView(session: string, view: View): void {
    requireText('setView: session', session)
    const read = readView(view)
    this.#live?.setView(session, read)
  }

  resourceUpdated(uri: string, session?: string): void {
    const whose = session === undefined ? {} : { session }
    this.#live?.dispatch({ type: 'happened', kind: 'resource_updated', uri, ...whose })
  }

  onSessionClosed(listener: (session: string) => unknown): this {
    requireFunction('onSessionClosed', listener)
    this.#sessionListeners.push(listener)
    return this
  }

  onRootsChanged(listener: (session: string) => unknown): this {
    requireFunction('onRootsChanged', listener)
    this.#rootsListeners.push(listener)
    return this
  }

  onSubscription(listener: (uri: string, session: string, subscribed: boolean) => unknown): this {
    requireFunction('onSubscription', listener)
    this.#subscriptionListeners.push(listener)
    return this
  }

  onConnection(listener: (state: ConnectionState) => unknown): this {
    requireFunction('onConnection', listener)
    this.#connectionListeners.push(listener)
    return this
  }

  async callAs(
    token: string,
    tool: string,
    args: { readonly [key: string]: unknown } = {},
    options?: CallOptions,
  ): Promise<ToolResult> {
    return this.#requireLive().calls.callTool({ token }, tool, args, options)
  }

  async mintToken(grant: { readonly [key: string]: unknown }): Promise<{ readonly [key: string]: unknown }> {
    return this.#requireLive().calls.ask('callboard/token.mint', grant)
  }

  async revokeToken(token: string): Promise<void> {
    await this.#requireLive().calls.ask('callboard/token.revoke', { token })
  }

  async revokeRunTokens(runId: string, attempt: number): Promise<void> {
    await this.#requireLive().calls.ask('callboard/token.revoke', { run: { id: runId, attempt } })
  }

  async toolsAs(token: string): Promise<readonly ToolDefinition[]> {
    return this.#requireLive().calls.listTools({ token })
  }

  async run(options?: RunOptions): Promise<SignInRefused | undefined> {
    const live = this.connect(connectionOf(this.options.service, options), options?.signal)
    const release = stopOnSignals(live)
    try {
      await live.closed
      return undefined
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error
      // The log has said why; an exception that nobody catches would add a stack that helps nobody.
      process.exitCode = 1
      return error
    } finally {
      release()
    }
  }

  async start(options?: RunOptions): Promise<RunningWorker> {
    const live = this.connect(connectionOf(this.options.service, options), options?.signal)
    await live.ready
    return live
  }

  /** Opens the link and signs in. One worker has one connection at a time. */
  connect(connection: Connection, signal?: AbortSignal): LiveWorker {
    if (this.#live !== undefined) throw new Error(`The worker "${this.options.service}" runs already.`)
    const { catalogue } = this
    const listeners: WorkerListeners = {
      sessionClosed: this.#sessionListeners,
      rootsChanged: this.#rootsListeners,
      subscription: this.#subscriptionListeners,
      connection: this.#connectionListeners,
    }
    const live = new LiveWorker({ ...connection, worker: this.#settled, catalogue, listeners })
    this.#live = live
    live.open()
    const drain = () => live.drain()
    signal?.addEventListener('abort', drain)
    if (signal?.aborted) drain()
    const ended = () => {
      signal?.removeEventListener('abort', drain)
      this.#live = undefined
    }
    live.closed.then(ended, ended)
    return live
  }

  #changed(): this {
    this.#live?.announce()
    return this
  }

  #requireLive(): LiveWorker {
    if (this.#live !== undefined) return this.#live
    throw new CallFailure('unavailable', `The worker "${this.options.service}" does not run.`, { retryable: true })
  }
}

function settle(options: WorkerOptions): LiveWorkerOptions['worker'] {
  requireKnown('defineWorker', options, workerOptions)
  const { service, version, concurrency = concurrencyDefault, replicas = 'many', affinity = 'none' } = options
  const { drainMs = drainMsDefault, holdUntil, formatError } = options
  if (!serviceNamePattern.test(service)) {
    throw new TypeError(`service ${JSON.stringify(service)}: must be a-z, then up to 31 of a-z, 0-9 and "-"`)
  }
  if (!/^[!-~]{1,64}$/.test(requireText('version', version))) {
    throw new TypeError(`version ${JSON.stringify(version)}: must be up to 64 printable characters without spaces`)
  }
  requireInteger('concurrency', concurrency, 1, concurrencyMax)
  requireInteger('drainMs', drainMs, 0, drainMsMax)
  if (!['many', 'one'].includes(replicas)) throw new TypeError(`replicas: must be many or one, not ${replicas}`)
  if (!['none', 'session', 'principal'].includes(affinity)) {
    throw new TypeError(`affinity: must be none, session or principal, not ${affinity}`)
  }
  return {
    service,
    version,
    concurrency,
    replicas,
    affinity,
    drainMs,
    ...(holdUntil === undefined ? {} : { holdUntil }),
    ...(formatError === undefined ? {} : { formatError }),
  }
}

function connectionOf(service: string, options: RunOptions = {}): Connection {
  const environment = readEnvironment()
  const { endpoint = environment.endpoint, secret = environment.secret, logLevel = environment.logLevel } = options
  const given = options.keys ?? environment.keys
  const problem = endpointProblem(endpoint, given !== undefined)
  if (problem !== undefined) throw new TypeError(`endpoint: ${problem}`)
  const log = stderrLog(service, logLevel)
  const instance = randomUUID()
  const routingId = `${service}/${instance}`
  // On this machine the system says whose process this is, and the socket there speaks without keys.
  const keys = given === undefined || endpoint.startsWith('ipc://') ? {} : { keys: given }
  const onFault = (message: string) => log.warn({ fault: message }, 'link fault')
  const link = new DealerLink({ endpoint, routingId, onFault, ...keys })
  return {
    link,
    routingId,
    instance,
    clock: new SteadyClock(),
    log,
    ...keys,
    ...(secret === undefined ? {} : { secret }),
  }
}

/** Never stdout: that may be somebody's protocol. */
function stderrLog(service: string, level: string): Logger {
  return pino({ name: service, level }, destination({ dest: 2, sync: true }))
}
