import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HubProcess } from '../hub-process.js'
import { CallLines, callText } from './call-lines.js'
import { Probe, probeOptions } from './probe.js'

export interface StageSize {
  readonly workers: number
  readonly toolsPerWorker: number
  /** Calls that each worker takes at a time. */
  readonly concurrency?: number
}

/** A hub with a probe, and its workers, several to a process; nothing of them is left when it is disposed of. */
export class ScaleStage implements AsyncDisposable {
  readonly hub: HubProcess
  readonly probe: Probe

  private constructor(hub: HubProcess, probe: Probe) {
    this.hub = hub
    this.probe = probe
  }

  static async open({ workers, toolsPerWorker, concurrency = 256 }: StageSize): Promise<ScaleStage> {
    const stage = await ScaleStage.empty()
    const processes = Array.from({ length: Math.ceil(workers / workersPerProcess) }, (_, index) => {
      const first = index * workersPerProcess
      const count = Math.min(workersPerProcess, workers - first)
      return stage.workers('scale', { first, count, tools: toolsPerWorker, concurrency })
    })
    await Promise.all(processes)
    return stage
  }

  /** A hub without workers. `nodeOptions` beside those that the probe needs. */
  static async empty(nodeOptions: readonly string[] = []): Promise<ScaleStage> {
    const hub = await HubProcess.start([...probeOptions, ...nodeOptions])
    return new ScaleStage(hub, await Probe.attach(hub.probe))
  }

  /** One more process. `count` 0: one worker of that very name. Resolves when all its workers are welcomed. */
  async workers(
    service: string,
    { first = 0, count = 0, tools = 1, concurrency = 256, isTrusted = false },
  ): Promise<void> {
    const secret = isTrusted ? [join(this.hub.directory, 'data', 'sign-in.secret')] : []
    await this.hub.worker(program, [service, ...[first, count, tools, concurrency].map(String), ...secret])
  }

  agent(): Promise<CallLines> {
    return CallLines.attach(this.hub.socket)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.probe[Symbol.dispose]()
    await this.hub[Symbol.asyncDispose]()
  }
}

/** What a tool of a stage is called with. */
export function sayText(worker: number, tool: number): string {
  return callText(`scale_${worker}_say_${tool}`, { text: 'the quick brown fox jumps over the lazy dog' })
}

/** Each has three sockets within libzmq, which has 1,023 to a process. */
const workersPerProcess = 100
const program = fileURLToPath(new URL('./scale-workers-program.js', import.meta.url))
