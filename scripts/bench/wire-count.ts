import { createRequire } from 'node:module'

/** What passed between a hub and its sockets. */
export interface WireCounts {
  /** ZeroMQ messages, each a batch. */
  readonly batchesOut: number
  readonly batchesIn: number
  /** Messages of the protocol in them. */
  readonly messagesOut: number
  readonly messagesIn: number
  /** Writes to agents: system calls. */
  readonly writes: number
}

/**
 * Counts in the process that it is in, by standing before what sends, receives and writes. The message that is waited for when
 * counting begins is not counted: let one pass, and begin again.
 */
export class WireCount {
  #isCounting = false
  #isAside = false
  #counts: Record<keyof WireCounts, number> = none()
  #messagesOf: (frames: readonly Uint8Array[]) => number = () => 0

  begin(): object {
    this.#counts = none()
    this.#isCounting = true
    return {}
  }

  end(): WireCounts {
    this.#isCounting = false
    return this.#counts
  }

  /** What the probe itself writes is none of it. */
  aside(work: () => unknown): void {
    this.#isAside = true
    work()
    this.#isAside = false
  }

  async install(socket: object): Promise<void> {
    const resolve = createRequire(new URL('../../packages/hub/package.json', import.meta.url))
    const { Router } = resolve('zeromq') as { readonly Router: { readonly prototype: Methods } }
    const { decodeMessages } = await import('@callboard/protocol')
    this.#messagesOf = (frames) => decodeMessages(frames).messages.length
    this.#before(Router.prototype, 'send', ([frames]) => {
      const [, ...rest] = frames as Uint8Array[]
      this.#counts.batchesOut += 1
      this.#counts.messagesOut += this.#messagesOf(rest)
    })
    this.#after(Router.prototype, 'receive', ([, ...frames]) => {
      this.#counts.batchesIn += 1
      this.#counts.messagesIn += this.#messagesOf(frames)
    })
    const written = () => {
      if (!this.#isAside) this.#counts.writes += 1
    }
    for (const name of ['_write', '_writev']) this.#before(socket as Methods, name, written)
  }

  #before(target: Methods, name: string, see: (words: readonly unknown[]) => void): void {
    const original = target[name]!
    const isCounting = () => this.#isCounting
    replace(target, name, function (...words) {
      if (isCounting()) see(words)
      return original.apply(this, words)
    })
  }

  #after(target: Methods, name: string, see: (frames: readonly Buffer[]) => void): void {
    const original = target[name]!
    const isCounting = () => this.#isCounting
    replace(target, name, function (...words) {
      const received = original.apply(this, words) as Promise<readonly Buffer[]>
      if (!isCounting()) return received
      return received.then((frames) => {
        see(frames)
        return frames
      })
    })
  }
}

/** The binding's own methods are inherited and can't be assigned over. */
function replace(target: Methods, name: string, value: Method): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true })
}

type Method = (this: unknown, ...words: unknown[]) => unknown
type Methods = Record<string, Method>

function none(): Record<keyof WireCounts, number> {
  return { batchesOut: 0, batchesIn: 0, messagesOut: 0, messagesIn: 0, writes: 0 }
}
