import { threadTokensMax } from '../../src/limits.js'
import { type Asked, LlmServer } from './llm-server.js'
import { seeded } from './test-foundation.js'

/** A model that never says the same twice. */
export interface InventiveModel extends AsyncDisposable {
  /** Section `llm`. */
  readonly section: object
  /** UTC ms of each question, in order. */
  readonly questions: readonly number[]
  /** Requests of any kind. */
  readonly requests: number
}

const words =
  'rain soil seeds morning neighbour bucket shade summer roots worms spade patience winter light paper bees ladder fence cellar window bread garden river stones clouds basket'.split(
    ' ',
  )

export async function startInventiveModel(now: () => number): Promise<InventiveModel> {
  const server = await LlmServer.start()
  const random = seeded(11)
  const questions: number[] = []
  const sentence = () => {
    const said = Array.from({ length: 12 }, () => words[Math.floor(random() * words.length)]).join(' ')
    return `${said[0]!.toUpperCase()}${said.slice(1)}.`
  }
  server.answers(({ body }: Asked) => {
    questions.push(now())
    if (body.max_tokens !== threadTokensMax) return sentence()
    return Array.from({ length: 5 }, sentence).join('\n---\n')
  })
  return {
    section: { provider: 'ollama', model: 'test-model', base_url: server.url },
    questions,
    get requests() {
      return server.asked.length
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
