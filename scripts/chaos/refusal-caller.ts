import type { RawAnswer } from '@callboard/testkit'
import type { Caller } from './caller.js'

/** Passes calls on, and remembers of each failure what it tells its agent to wait. */
export class RefusalCaller implements Caller {
  readonly #caller: Caller
  readonly #retries: Map<string, number>

  /** `retries`: by canary, in ms; several callers may share one. */
  constructor(caller: Caller, retries: Map<string, number>) {
    this.#caller = caller
    this.#retries = retries
  }

  async call(name: string, args: { readonly [key: string]: unknown }, stray: () => void): Promise<RawAnswer> {
    const answer = await this.#caller.call(name, args, stray)
    const retryAfterMs = retryAfterOf(answer)
    if (retryAfterMs !== undefined) this.#retries.set(String(args['canary']), retryAfterMs)
    return answer
  }

  close(): void {
    this.#caller.close()
  }
}

interface Refusal {
  readonly retryAfterMs?: number
}

/** Where a failed tool result says it: to models in what they read, to programs beside it. */
export function retryAfterOf({ result }: RawAnswer): number | undefined {
  if (result?.['isError'] !== true) return undefined
  const { error } = (result['structuredContent'] ?? {}) as { error?: Refusal }
  const meta = (result['_meta'] as { 'callboard/error'?: Refusal } | undefined)?.['callboard/error']
  return error?.retryAfterMs ?? meta?.retryAfterMs
}
