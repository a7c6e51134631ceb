/** For the handshake of whoever started this hub; only what can wait waits for it. */
const agentWaitMs = 250
const answerMs = 50

/** The time in which a hub that somebody waits for does nothing else: loading what comes next would keep them waiting. */
export class FirstAnswer {
  /** Resolves soon, whether an agent has come or not. */
  readonly over: Promise<void>
  #agentCame: () => void = () => undefined

  constructor() {
    this.over = new Promise((resolve) => {
      let timer = setTimeout(resolve, agentWaitMs)
      this.#agentCame = () => {
        this.#agentCame = () => undefined
        clearTimeout(timer)
        timer = setTimeout(resolve, answerMs)
      }
    })
  }

  agentCame(): void {
    this.#agentCame()
  }
}
