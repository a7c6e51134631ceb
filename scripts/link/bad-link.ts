import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** What happens to the packets of one direction. */
export interface Impairment {
  readonly delayMs: number
  /** Each packet is early or late by up to this; so they overtake each other. */
  readonly jitterMs: number
  /** The share that is lost, 0 to 1. */
  readonly loss: number
}

export interface PacketCounts {
  readonly passed: number
  readonly lost: number
  readonly reordered: number
}

/** One end of the link. */
export interface End {
  readonly address: string
  /** The words that start a command there. */
  readonly enter: readonly string[]
}

export const untouched: Impairment = { delayMs: 0, jitterMs: 0, loss: 0 }
export const cut: Impairment = { delayMs: 0, jitterMs: 0, loss: 1 }

const program = fileURLToPath(new URL('../../link/impaired-link.py', import.meta.url))

interface Told {
  readonly pid: number
  readonly near: { readonly descriptor: number; readonly address: string }
  readonly far: { readonly descriptor: number; readonly address: string }
}

/**
 * Two network namespaces and what joins them, by `impaired-link.py` rather than netem: the same on kernels that have no
 * netem, seeded, and with an impairment for each direction. All of it is gone with this process.
 */
export class BadLink implements Disposable {
  readonly near: End
  readonly far: End
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #lines: Interface

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, lines: Interface, told: Told) {
    this.#child = child
    this.#lines = lines
    const end = ({ descriptor, address }: Told['near']) => ({
      address,
      enter: ['nsenter', `--net=/proc/${told.pid}/fd/${descriptor}`, '--'],
    })
    this.near = end(told.near)
    this.far = end(told.far)
  }

  /** Or, as a text, why this machine can't have one. */
  static async open(seed: number): Promise<BadLink | string> {
    const child = spawn('python3', [program, `${seed}`], { stdio: ['pipe', 'pipe', 'pipe'] })
    let complaint = ''
    child.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    const lines = createInterface(child.stdout)
    const end = once(child, 'close').then(
      () => complaint.trim().split('\n').at(-1)!,
      (error) => `${error}`,
    )
    const told = await Promise.race([once(lines, 'line') as Promise<[string]>, end])
    return typeof told === 'string' ? told : new BadLink(child, lines, JSON.parse(told[0]))
  }

  /** From now on: `there` is from near to far. Resolves with the counts so far. */
  async impair(
    there: Impairment,
    back = there,
  ): Promise<{ readonly there: PacketCounts; readonly back: PacketCounts }> {
    const answer = once(this.#lines, 'line') as Promise<[string]>
    this.#child.stdin.write(`${JSON.stringify({ there, back })}\n`)
    return JSON.parse((await answer)[0])
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL')
  }
}
