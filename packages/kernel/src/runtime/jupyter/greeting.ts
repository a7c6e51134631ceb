import { jupyterGreetingMs } from '../../limits.js'
import type { Connection } from './connection.js'
import type { FromJupyter, KernelInfo } from './contents.js'

/**
 * Asks for kernel_info until the idle status of an asking has come on the output channel: a reply alone does not prove that
 * the subscription has reached the kernel, and what a kernel publishes before that is lost.
 */
export class Greeting {
  readonly done: Promise<KernelInfo>
  readonly #connection: Connection
  readonly #asked = new Set<string>()
  #info: KernelInfo | undefined
  #heard = false
  #again: NodeJS.Timeout | undefined
  #resolve: (info: KernelInfo) => void = () => {}

  constructor(connection: Connection) {
    this.#connection = connection
    this.done = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#ask()
  }

  receive(message: FromJupyter): void {
    if (message.parentId === undefined || !this.#asked.has(message.parentId)) return
    if (message.type === 'kernel_info_reply') {
      this.#info = message.info
      // Not before a reply: a kernel that takes long to start would find many askings.
      this.#again ??= setInterval(() => this.#ask(), jupyterGreetingMs)
    }
    if (message.type === 'status' && message.state === 'idle') this.#heard = true
    if (this.#info && this.#heard) this.#settle(this.#info)
  }

  /** Idempotent; leaves no timer. */
  stop(): void {
    clearInterval(this.#again)
  }

  #ask(): void {
    this.#asked.add(this.#connection.send('shell', 'kernel_info_request', {}))
  }

  #settle(info: KernelInfo): void {
    this.stop()
    this.#resolve(info)
  }
}
