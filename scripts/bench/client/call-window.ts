import { settleMs, wholeCheckEvery } from '../limits.js'
import type { CallTexts } from './call-texts.js'
import { checkAnswer, checkWhole } from './check-answer.js'
import type { WindowOrder, WindowReport } from './client-messages.js'
import { Latencies } from './latencies.js'

export interface WindowPorts {
  readonly texts: CallTexts
  readonly firstId: number
  readonly send: (messages: readonly string[]) => void
}

/**
 * Keeps so many calls in flight for so long, waits for the rest, and checks every answer. All calls and the whole time count: a
 * subject that answers nothing until the window is over has done the work nevertheless.
 */
export class CallWindow {
  readonly #ports: WindowPorts
  readonly #sentAt = new Map<number, number>()
  readonly #latencies = new Latencies()
  readonly #startedAt = performance.now()
  readonly #endsAt: number
  readonly #cpu = process.cpuUsage()
  readonly #giveUp: NodeJS.Timeout
  #calls = 0
  nextId: number
  readonly report: Promise<WindowReport>
  #settle!: (report: WindowReport) => void
  #reject!: (error: Error) => void

  constructor({ inFlight, ms }: WindowOrder, ports: WindowPorts) {
    this.#ports = ports
    this.nextId = ports.firstId
    this.#endsAt = this.#startedAt + ms
    this.report = new Promise((resolve, reject) => {
      this.#settle = resolve
      this.#reject = reject
    })
    this.#giveUp = setTimeout(
      () => this.fail(`${this.#sentAt.size} calls have no answer ${settleMs / 1_000} s after the window`),
      ms + settleMs,
    )
    this.#ask(inFlight)
  }

  take(messages: readonly string[]): void {
    const now = performance.now()
    let answered = 0
    try {
      for (const message of messages) if (this.#isAnswer(message, now)) answered += 1
    } catch (error) {
      return this.fail(`${error instanceof Error ? error.message : error}`)
    }
    this.#calls += answered
    if (answered > 0 && now < this.#endsAt) this.#ask(answered)
    if (this.#sentAt.size === 0) this.#finish()
  }

  fail(problem: string): void {
    clearTimeout(this.#giveUp)
    this.#reject(new Error(problem))
  }

  #isAnswer(message: string, now: number): boolean {
    const id = checkAnswer(message, this.#ports.texts)
    if (id === undefined) return false
    const sentAt = this.#sentAt.get(id)
    if (sentAt === undefined) throw new Error(`an answer to ${id}, which nobody waits for`)
    this.#sentAt.delete(id)
    if (id % wholeCheckEvery === 0 || id === this.#ports.firstId) checkWhole(message, id, this.#ports.texts)
    this.#latencies.record(now - sentAt)
    return true
  }

  #ask(count: number): void {
    const requests: string[] = []
    const first = this.nextId
    for (; this.nextId < first + count; this.nextId += 1) requests.push(this.#ports.texts.request(this.nextId))
    const now = performance.now()
    for (let id = first; id < this.nextId; id += 1) this.#sentAt.set(id, now)
    this.#ports.send(requests)
  }

  #finish(): void {
    clearTimeout(this.#giveUp)
    const { user, system } = process.cpuUsage(this.#cpu)
    this.#settle({
      calls: this.#calls,
      elapsedMs: performance.now() - this.#startedAt,
      latencies: this.#latencies.pack(),
      clientCpuMs: (user + system) / 1_000,
    })
  }
}
