import { ToolError } from './errors.js'
import { questionKeyMax } from './limits.js'
import type { InputQuestion } from './session-messages.js'

export interface CallQuestionsOptions {
  /** Answers by key that came with the call, for questions whose names the client knows. */
  readonly brought: { readonly [key: string]: unknown }
  readonly send: (questions: { readonly [key: string]: InputQuestion }) => void
}

interface Answer {
  resolve(value: unknown): void
  reject(reason: unknown): void
}

/** What one call asks the person at the client. */
export class CallQuestions {
  readonly #options: CallQuestionsOptions
  readonly #brought: Map<string, unknown>
  /** By key, until each is answered. */
  readonly #answers = new Map<string, Answer>()
  /** Asked in this turn, to go out in one frame. */
  #gathered: { [key: string]: InputQuestion } = {}
  #asked = 0

  constructor(options: CallQuestionsOptions) {
    this.#options = options
    this.#brought = new Map(Object.entries(options.brought))
  }

  /** @throws TypeError for a key that is asked already, or can't be one. */
  ask(
    question: InputQuestion,
    isAnswer: (value: unknown) => boolean,
    key = `input-${++this.#asked}`,
  ): Promise<unknown> {
    if (key === '' || key.length > questionKeyMax || this.#answers.has(key)) {
      throw new TypeError(
        `question ${JSON.stringify(key)}: a key has 1 to ${questionKeyMax} characters and is asked once`,
      )
    }
    const brought = this.#brought.get(key)
    this.#brought.delete(key)
    if (isAnswer(brought)) return Promise.resolve(brought)
    if (Object.keys(this.#gathered).length === 0) queueMicrotask(() => this.#sendGathered())
    this.#gathered[key] = question
    return new Promise((resolve, reject) => this.#answers.set(key, { resolve, reject }))
  }

  /** The answers to the questions of one frame; undefined stands for none. */
  answer(answers: { readonly [key: string]: unknown }): void {
    for (const [key, value] of Object.entries(answers)) {
      const waiting = this.#take(key)
      if (value === undefined)
        waiting?.reject(new ToolError('input_invalid', 'The client left this question unanswered.'))
      else waiting?.resolve(value)
    }
  }

  reject(keys: readonly string[], reason: unknown): void {
    for (const key of keys) this.#take(key)?.reject(reason)
  }

  rejectAll(reason: unknown): void {
    for (const { reject } of this.#answers.values()) reject(reason)
    this.#answers.clear()
  }

  #sendGathered(): void {
    const questions = this.#gathered
    this.#gathered = {}
    this.#options.send(questions)
  }

  #take(key: string): Answer | undefined {
    const answer = this.#answers.get(key)
    this.#answers.delete(key)
    return answer
  }
}
