import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TestLocation } from '@callboard/store/testing'
import { onTestFinished } from 'vitest'
import type { Answer } from '../call-tool.js'

const program = fileURLToPath(new URL('posting-worker.mjs', import.meta.url))

export interface WorkerProcessOptions {
  readonly location: TestLocation
  /** Section `social`. */
  readonly config: object
  /** How far its clock is ahead: what a process that died has leased is over by then. */
  readonly aheadMs?: number
  /** It kills itself before its n-th write. */
  readonly dieAt?: number
}

/** A social worker in a process of its own, killed at the end of the test if not before. */
export class WorkerProcess {
  readonly ended: Promise<NodeJS.Signals | null>
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  private constructor(child: ChildProcess) {
    this.#child = child
    this.ended = once(child, 'exit').then(([, signal]) => signal)
    child.on('message', ({ id, envelope }: { id: number; envelope: Answer }) => {
      this.#waiting.get(id)?.(envelope)
      this.#waiting.delete(id)
    })
  }

  static async start({ aheadMs = 0, ...options }: WorkerProcessOptions): Promise<WorkerProcess> {
    const child = fork(program, [JSON.stringify({ aheadMs, ...options })], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const started = new WorkerProcess(child)
    onTestFinished(() => started.kill())
    const ready = once(child, 'message').then(([message]) => message === 'ready')
    if (!(await Promise.race([ready, started.ended.then(() => false)])))
      throw new Error('the worker ended at its start')
    return started
  }

  /** Rejects when it ends before it answers. */
  async call(tool: string, args: object, who: 'agent' | 'operator'): Promise<Answer['data']> {
    const envelope = await this.#ask({ tool, args, who })
    if (!envelope.success) throw new Error(`${tool}: ${envelope.error?.code}: ${envelope.error?.message}`)
    return envelope.data
  }

  /** It begins to publish. */
  async publish(): Promise<void> {
    await this.#ask({ tool: 'start' })
  }

  /** As power goes: without a chance to write anything. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }

  #ask(message: object): Promise<Answer> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve)
      this.#child.send({ id, ...message }, (error) => error && reject(error))
      void this.ended.then(() => reject(new Error('the worker ended before it answered')))
    })
  }
}
