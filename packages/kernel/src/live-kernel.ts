import { KernelProcess, type KernelProcessOptions } from './kernel-process.js'
import { probeMs } from './limits.js'
import type { FromKernel } from './messages.js'
import { StreamCapture } from './stream-capture.js'

type Listener = (message: FromKernel) => void

export type LiveKernelOptions = Pick<KernelProcessOptions, 'python' | 'workingDirectory' | 'limits'> & {
  /** After output of a run. */
  readonly onOutput: () => void
}

/** A running kernel process together with its output. */
export class LiveKernel {
  readonly process: KernelProcess
  readonly stdout: StreamCapture
  readonly stderr: StreamCapture
  readonly #listeners: Set<Listener>

  private constructor(process: KernelProcess, stdout: StreamCapture, stderr: StreamCapture, listeners: Set<Listener>) {
    this.process = process
    this.stdout = stdout
    this.stderr = stderr
    this.#listeners = listeners
  }

  static async start({ onOutput, ...options }: LiveKernelOptions): Promise<LiveKernel> {
    const streams = { stdout: new StreamCapture(onOutput), stderr: new StreamCapture(onOutput) }
    const listeners = new Set<Listener>()
    const process = await KernelProcess.start({
      ...options,
      onMessage: (message) => {
        for (const listener of listeners) listener(message)
      },
      onOutput: (stream, chunk) => streams[stream].push(chunk),
    })
    return new LiveKernel(process, streams.stdout, streams.stderr, listeners)
  }

  /** Returns how to stop listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Between runs only. How many names went, or undefined if the kernel did not answer in time. */
  async clearNames(): Promise<number | undefined> {
    let timer: NodeJS.Timeout | undefined
    let stop = () => {}
    const cleared = new Promise<number>((resolve) => {
      stop = this.listen((message) => {
        if (message.type === 'cleared') resolve(message.names)
      })
    })
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), probeMs)
    })
    this.process.send({ type: 'reset' })
    const count = await Promise.race([cleared, late, this.process.died.then(() => undefined)])
    clearTimeout(timer)
    stop()
    return count
  }
}
