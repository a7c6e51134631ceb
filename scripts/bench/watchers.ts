import { RawAgent, type RawAgentOptions } from '@callboard/testkit'
import { now } from '../hub-process.js'

type Era = RawAgentOptions['era']
const eras = ['legacy', 'modern'] as const

/** One agent of each era that waits for changes of the list. */
export class Watchers implements AsyncDisposable {
  readonly #agents: RawAgent[] = []
  readonly #missing = new Set<Era>()
  #all: (at: number) => void = () => undefined
  heard = 0

  static async attach(socket: string): Promise<Watchers> {
    const watchers = new Watchers()
    for (const era of eras) {
      const onMessage = ({ method }: { readonly method?: string }) => {
        if (method === 'notifications/tools/list_changed') watchers.#tell(era)
      }
      const agent = await RawAgent.attach(socket, { era, onMessage })
      if (era === 'modern') {
        agent.begin('subscriptions/listen', { notifications: { toolsListChanged: true } }).answer.catch(() => undefined)
        await agent.ask('server/discover')
      }
      watchers.#agents.push(agent)
    }
    return watchers
  }

  /** When the last of them has heard of a change from now on. */
  next(): Promise<number> {
    for (const era of eras) this.#missing.add(era)
    return new Promise((resolve) => {
      this.#all = resolve
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents) agent.close()
  }

  #tell(era: Era): void {
    if (era === 'legacy') this.heard += 1
    if (this.#missing.delete(era) && this.#missing.size === 0) this.#all(now())
  }
}
