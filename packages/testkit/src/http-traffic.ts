/** Requests of this process that are under way. HTTP over the loopback takes time that no virtual clock knows of. */
class HttpTraffic {
  #open = 0
  #begun = 0
  #isWatched = false

  /** Requests whose answer has not been read to its end. */
  get open(): number {
    return this.#open
  }

  get begun(): number {
    return this.#begun
  }

  /** From now on all that `fetch` sends is counted. Once is enough. */
  watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    const send = globalThis.fetch
    globalThis.fetch = async (...request: Parameters<typeof fetch>) => {
      this.#open += 1
      this.#begun += 1
      try {
        const { status, headers, body, ...rest } = await whole(await send(...request))
        return new Response(body, { ...rest, status, headers })
      } finally {
        this.#open -= 1
      }
    }
  }
}

/** With its body: a reader of a stream could not be waited for. */
async function whole(response: Response) {
  const { status, headers } = response
  const bytes = await response.arrayBuffer()
  return { status, headers, body: bytes.byteLength === 0 ? null : bytes }
}

export const traffic = new HttpTraffic()

/** So many turns of the event loop with nothing under way mean that everybody waits for time. */
const quietTurns = 12

/** Lets everything go on that waits for no time; `held` requests are those that a test leaves without an answer. */
export async function quiet(held = 0): Promise<void> {
  let turns = 0
  let begun = traffic.begun
  while (turns < quietTurns) {
    await new Promise((resolve) => setImmediate(resolve))
    const isQuiet = traffic.open <= held && traffic.begun === begun
    turns = isQuiet ? turns + 1 : 0
    begun = traffic.begun
  }
}
