import type { Scene } from '../subjects/scene.js'
import type { RunningSubject, Subject } from '../subjects/subject.js'
import { processTree } from './process-tree.js'

/** A subject that takes part, for as long as it can. */
export class Entrant {
  readonly subject: Subject
  readonly #scene: Scene
  #running: RunningSubject | undefined
  #isLost = false
  /** Calls since its start. */
  answered = 0
  /** Why it was left out, with the scenario that it was left out of. */
  readonly problems: string[] = []

  constructor(subject: Subject, scene: Scene) {
    this.subject = subject
    this.#scene = scene
  }

  /** Undefined: it can't take part now. */
  get running(): RunningSubject | undefined {
    return this.#running
  }

  /** Does nothing while it runs. One that has failed gets another chance, if it is its own. */
  async start(): Promise<void> {
    if (this.#running !== undefined || this.#isLost) return
    try {
      this.#running = await this.subject.start(this.#scene)
      this.answered = 0
    } catch (error) {
      this.#isLost = true
      this.problems.push(messageOf(error))
    }
  }

  /** It takes no more part in this scenario. */
  async fail(scenario: string, error: unknown): Promise<void> {
    this.problems.push(`${scenario}: ${messageOf(error)}`)
    const { client, isShared = false } = this.#running!
    this.#running = undefined
    this.#isLost = isShared
    if (!isShared) await client[Symbol.asyncDispose]()
  }

  /** All its processes, as they are now. */
  processes(): number[] {
    return processTree(this.#running?.processes ?? [])
  }

  clients(): number[] {
    return this.#running === undefined ? [] : [this.#running.client.pid]
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : `${error}`
}
