import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunningHub, SupervisedStatus } from '@callboard/hub'
import { binary } from '../binary.js'
import { childVariables, type Environment } from '../environment.js'
import * as limits from '../limits.js'
import { complain, print } from '../output.js'
import { UsageError } from '../usage-error.js'
import { describeExit, describeReady, describeRecovery, describeRefusals, urlsOf } from './announcements.js'
import type { WorkerExit } from './supervised-worker.js'
import { Supervisor } from './supervisor.js'

/** The workers of `callboard up`, and what people are told of them. It is there before the hub, which asks it for statuses. */
export class Supervision {
  readonly #workers: readonly string[]
  readonly #environment: Environment
  readonly #supervisor: Supervisor
  #hub: RunningHub | undefined
  #isStarting = true
  #isEnding = false
  #misconfigured: (error: UsageError) => void = () => {}
  /** A worker is wrong from the start: better no hub than half of one. */
  readonly failed = new Promise<UsageError>((resolve) => {
    this.#misconfigured = resolve
  })

  constructor(workers: readonly string[], environment: Environment) {
    const { variables, runtimeDirectory } = environment
    this.#workers = workers
    this.#environment = environment
    this.#supervisor = new Supervisor({
      workers,
      spawn: (name) => this.#spawn(name),
      writeLine: complain,
      exited: (exit) => this.#exited(exit),
      recovered: (worker) => complain(describeRecovery(worker)),
      guardian: {
        variables: { PATH: variables['PATH'], CALLBOARD_RUNTIME: runtimeDirectory },
        failed: (why) => complain(describeNoGuardian(why)),
      },
    })
  }

  get statuses(): readonly SupervisedStatus[] {
    return this.#supervisor.statuses
  }

  signedIn(service: string): void {
    this.#supervisor.signedIn(service)
  }

  start(hub: RunningHub): void {
    this.#hub = hub
    this.#supervisor.start()
    void this.#announceReady(hub).finally(() => {
      this.#isStarting = false
    })
  }

  /** Nothing more is promised of workers: they are about to end with the hub. */
  endsSoon(): void {
    this.#isEnding = true
  }

  /** Resolves when no process is left. */
  async stop(): Promise<void> {
    this.endsSoon()
    await this.#supervisor.stop()
  }

  #exited(exit: WorkerExit): void {
    const said = describeExit(exit)
    if (said !== undefined) complain(said)
    if (!this.#isStarting || exit.code !== 2) return
    this.#misconfigured(new UsageError(exit.complaint ?? `${exit.worker} can't start.`))
  }

  #spawn(name: string) {
    const hub = this.#hub!
    const [url] = urlsOf(hub)
    return spawn(process.execPath, [binary, 'worker', name], {
      // A process group of its own: Ctrl-C in the terminal is for us, who tell the worker in an orderly way.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: childVariables(this.#environment, {
        CALLBOARD_HUB: hub.workerEndpoint,
        CALLBOARD_SIGN_IN_SECRET_FILE: hub.signInSecretFile,
        CALLBOARD_PARENT: 'stdin',
        // Another hub's is none of ours.
        CALLBOARD_URL: url,
      }),
    })
  }

  async #announceReady(hub: RunningHub): Promise<void> {
    const missing = new Set(this.#workers)
    const endsAt = performance.now() + limits.workersReadyWaitMs
    while (missing.size > 0 && performance.now() < endsAt && !this.#isEnding) {
      for (const worker of hub.snapshot().workers) {
        if (!missing.delete(worker.service)) continue
        print(describeReady(hub.snapshot(), worker.service))
        for (const line of describeRefusals(hub.snapshot(), worker.service)) complain(line)
      }
      await delay(limits.readyPollMs)
    }
    if (missing.size > 0 && !this.#isEnding) complain(`callboard: still not signed in: ${[...missing].join(', ')}`)
  }
}

const describeNoGuardian = (why: string): string =>
  `callboard: warning: the guardian of the workers can't run (${why}): a worker that hangs may outlive a killed hub.`
