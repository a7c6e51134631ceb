import type { Logger } from './hub-log.js'
import type { TokenTable } from './token-table.js'

/** Within a second of its end a token's connections are closed: a look at the file's status is all that it takes. */
const watchIntervalMs = 500

/** Tells of every token that ends while somebody stands on it. Closing it twice does no harm. */
export class TokenWatch {
  readonly #table: Pick<TokenTable, 'takeEnded'>
  readonly #ended: (id: string) => void
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout
  #problem: string | undefined

  constructor(table: Pick<TokenTable, 'takeEnded'>, ended: (id: string) => void, log: Logger) {
    this.#table = table
    this.#ended = ended
    this.#log = log
    this.#timer = setInterval(() => this.look(), watchIntervalMs)
    this.#timer.unref()
  }

  look(): void {
    try {
      for (const id of this.#table.takeEnded()) this.#ended(id)
      this.#problem = undefined
    } catch (error) {
      const problem = (error as Error).message
      if (problem !== this.#problem) this.#log.error({ problem }, 'the token file is of no use')
      this.#problem = problem
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
