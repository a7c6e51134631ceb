import type { ServerResponse } from 'node:http'
import { Waiting } from '../waiting.js'

/** Answers that wait for their release. */
export class HeldAnswers {
  #held: { readonly response: ServerResponse; readonly goOn: () => void }[] = []
  readonly #waiting = new Waiting()

  hold(response: ServerResponse): Promise<void> {
    response.once('close', () => this.#waiting.look())
    return new Promise((resolve) => {
      this.#held.push({ response, goOn: resolve })
      this.#waiting.look()
    })
  }

  release(): void {
    const held = this.#held
    this.#held = []
    for (const { goOn } of held) goOn()
  }

  /** Resolves when so many are held. */
  held(count: number): Promise<void> {
    return this.#waiting.until(() => this.#held.length >= count)
  }

  /** Resolves when of those so many have nobody any more who waits for them. */
  abandoned(count: number): Promise<void> {
    return this.#waiting.until(() => this.#held.filter(({ response }) => response.destroyed).length >= count)
  }
}
