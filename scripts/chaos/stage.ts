import { HubProcess, now } from '../hub-process.js'
import { control, type HubView, readHub } from './hub-control.js'
import { Load } from './load.js'
import { type LoadOptions, usualLoad } from './load-options.js'
import type { Fault, RunRecord } from './records.js'
import { Replica, type ReplicaOptions } from './replica.js'
import { readJournals } from './run-journal.js'

export interface StageOptions extends ReplicaOptions {
  readonly replicas: number
}

const usualStage: StageOptions = { replicas: 4, concurrency: 16, timeoutMs: 30_000 }

/** A hub process and its replicas; nothing of them is left when it is disposed of. */
export class Stage implements AsyncDisposable {
  readonly hub: HubProcess
  /** By place; a place that is restarted has another. */
  readonly replicas: Replica[] = []
  /** What was done to processes so far. */
  readonly faults: Fault[] = []
  readonly #options: StageOptions
  #lives = 0

  private constructor(hub: HubProcess, options: StageOptions) {
    this.hub = hub
    this.#options = options
  }

  static async open(options: Partial<StageOptions> = {}): Promise<Stage> {
    const stage = new Stage(await HubProcess.start(), { ...usualStage, ...options })
    await Promise.all(Array.from({ length: stage.#options.replicas }, (_, place) => stage.start(place)))
    return stage
  }

  /** A new process for a place. Resolves when it is welcomed. */
  async start(place: number): Promise<Replica> {
    const replica = await Replica.start(this.hub, `replica-${place}-${this.#lives++}`, this.#options)
    this.replicas[place] = replica
    return replica
  }

  /** By SIGKILL. Resolves when the process has ended. */
  async kill(place: number): Promise<void> {
    const replica = this.replicas[place]!
    this.faults.push({ at: now(), process: replica.label })
    replica.signal('SIGKILL')
    await replica.ended
  }

  /** What `callboard drain INSTANCE` says to the hub. Resolves when the process has ended by itself. */
  async drain(place: number, drainMs = 30_000): Promise<void> {
    const { instance, ended } = this.replicas[place]!
    await control(this.hub.socket, { command: 'drain', instance, drainMs, token: this.hub.operatorSecret })
    await ended
  }

  /** By SIGTERM. Resolves when the process has ended by itself. */
  async terminate(place: number): Promise<void> {
    const replica = this.replicas[place]!
    replica.signal('SIGTERM')
    await replica.ended
  }

  offer(options: Partial<LoadOptions> = {}): Promise<Load> {
    return Load.begin(this.hub, { ...usualLoad, ...options })
  }

  /** The hub's own view. */
  view(): Promise<HubView> {
    return readHub(this.hub.socket)
  }

  /** All executions so far. */
  runs(): RunRecord[] {
    return readJournals(this.hub.directory)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]()
  }
}
