import { setTimeout as delay } from 'node:timers/promises'
import { now } from '../hub-process.js'
import type { HubView } from './hub-control.js'

export interface Sight {
  readonly at: number
  readonly workers: HubView['snapshot']['workers']
}

/** Looks at the hub again and again, until it is told to stop. */
export class HubWatch {
  readonly sights: Sight[] = []
  readonly #view: () => Promise<HubView>
  readonly #everyMs: number
  readonly #looking: Promise<void>
  #isOver = false

  constructor(view: () => Promise<HubView>, everyMs: number) {
    this.#view = view
    this.#everyMs = everyMs
    this.#looking = this.#look()
  }

  async stop(): Promise<readonly Sight[]> {
    this.#isOver = true
    await this.#looking
    return this.sights
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      const { snapshot } = await this.#view()
      this.sights.push({ at: now(), workers: snapshot.workers })
      await delay(this.#everyMs)
    }
  }
}
