import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LoopCounts } from './loop-count.js'
import type { WireCounts } from './wire-count.js'

/** What a process tells of itself. */
export interface ProbeAnswers {
  /** Of all its threads so far. */
  readonly cpu: { readonly micros: number }
  /** After a collection. */
  readonly heap: { readonly heapBytes: number; readonly residentBytes: number }
  /** Without one. */
  readonly allocated: { readonly heapBytes: number }
  readonly count: object
  readonly counted: WireCounts & LoopCounts
}

export type ProbeWord = keyof ProbeAnswers

/** For the command line of a process that shall have a probe. */
export const probeOptions: readonly string[] = [
  '--expose-gc',
  '--import',
  fileURLToPath(new URL('./probe-program.js', import.meta.url)),
]

/** Asks the probe in another process. */
export class Probe implements Disposable {
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Waits for the process to have it. */
  static async attach(path: string): Promise<Probe> {
    for (let tries = 0; ; tries += 1) {
      const socket = connect(path).setEncoding('utf8')
      try {
        await once(socket, 'connect')
        return new Probe(socket)
      } catch (error) {
        if (tries === triesMax) throw error
        await delay(pauseMs)
      }
    }
  }

  /** One question at a time. */
  async ask<Word extends ProbeWord>(word: Word): Promise<ProbeAnswers[Word]> {
    const answered = once(this.#socket, 'data')
    this.#socket.write(word)
    return JSON.parse((await answered)[0])
  }

  async cpuMicros(): Promise<number> {
    return (await this.ask('cpu')).micros
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}

const triesMax = 100
const pauseMs = 50
