import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the next question gets. Text is a model's answer; the rest is what endpoints do otherwise. */
export type LlmAnswer =
  | string
  /** The text, but the model had more to say. */
  | { readonly kind: 'cut off'; readonly text: string }
  | { readonly kind: 'refusal' }
  /** An error as this kind of endpoint words it. */
  | { readonly kind: 'error'; readonly status: number; readonly message?: string; readonly retryAfter?: string }
  /** Any answer, to the byte. */
  | { readonly kind: 'raw'; readonly status?: number; readonly body: string }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'never' }
  | { readonly kind: 'hang up' }

/** One request as it came. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: what was sent is what the tests look at.
  readonly body: any
  /** What the model was told, whatever the dialect. */
  readonly system: string
  readonly user: string
}

export interface LlmServerOptions {
  /** Without it every request is let in. */
  readonly key?: string
  readonly models?: readonly string[]
  /** Parameters that it takes for an error, as newer models do. */
  readonly refuses?: readonly string[]
}

/**
 * A model's endpoint over real HTTP: OpenAI's chat completions, Anthropic's messages, and the list of models, below `/v1`.
 * Every answer reports 100 tokens in and 20 out.
 */
export class LlmServer implements AsyncDisposable {
  readonly asked: Asked[] = []
  readonly #options: LlmServerOptions
  readonly #server: Server
  #answers: (LlmAnswer | ((asked: Asked) => LlmAnswer))[] = []
  #listAnswer: LlmAnswer | undefined
  #arrived: () => void = () => {}

  static async start(options: LlmServerOptions = {}): Promise<LlmServer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new LlmServer(server, options)
  }

  private constructor(server: Server, options: LlmServerOptions) {
    this.#server = server
    this.#options = options
    server.on('request', (request, response) => void this.#serve(request, response))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** In this order, one for each question; the last one for all that follow. */
  answers(...answers: readonly (LlmAnswer | ((asked: Asked) => LlmAnswer))[]): this {
    this.#answers = [...answers]
    return this
  }

  /** To the question which models there are, in place of the list. */
  answersList(answer: LlmAnswer): this {
    this.#listAnswer = answer
    return this
  }

  /** Questions to the model, refused ones too. */
  get questions(): readonly Asked[] {
    return this.asked.filter(({ method }) => method === 'POST')
  }

  get lists(): number {
    return this.asked.filter(({ method }) => method === 'GET').length
  }

  /** As if nothing had been asked. */
  forget(): void {
    this.asked.length = 0
  }

  /** Resolves with the next request. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = resolve
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const text = Buffer.concat(chunks).toString()
    const body = text === '' ? undefined : JSON.parse(text)
    const asked = { method, path: url, headers, body, ...promptOf(body) }
    this.asked.push(asked)
    const answer = this.#answerTo(asked)
    this.#arrived()
    if (answer === 'never') return
    if (answer === 'hang up') return void request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.body)
  }

  #answerTo(asked: Asked): Served {
    const { method, path, headers, body } = asked
    const { key, models = ['test-model'], refuses = [] } = this.#options
    const given = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '')
    if (key !== undefined && given !== key) {
      return served({ kind: 'error', status: 401, message: `Incorrect API key provided: ${given}.` }, path)
    }
    if (method === 'GET' && path === '/v1/models') {
      if (this.#listAnswer !== undefined) return served(this.#listAnswer, path)
      return json(200, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) })
    }
    if (method !== 'POST' || !/^\/v1\/(chat\/completions|messages)$/.test(path))
      return json(404, { error: 'not found' })
    const refused = refuses.find((name) => name in body)
    if (refused !== undefined) {
      const message = `Unsupported parameter: '${refused}' is not supported with this model.`
      return served({ kind: 'error', status: 400, message }, path)
    }
    const answer = this.#answers.length > 1 ? this.#answers.shift()! : (this.#answers[0] ?? 'A sentence.')
    return served(typeof answer === 'function' ? answer(asked) : answer, path)
  }
}

type Served =
  | { readonly status: number; readonly headers: { readonly [name: string]: string }; readonly body: string }
  | 'never'
  | 'hang up'

function served(answer: LlmAnswer, path: string): Served {
  const speaksAnthropic = path === '/v1/messages'
  if (typeof answer === 'string') return speaksAnthropic ? message(answer, 'end_turn') : completion(answer, 'stop')
  switch (answer.kind) {
    case 'cut off':
      return speaksAnthropic ? message(answer.text, 'max_tokens') : completion(answer.text, 'length')
    case 'refusal':
      return speaksAnthropic ? message('', 'refusal') : completion(null, 'stop', "I can't help with that.")
    case 'error': {
      const { status, message: words = 'something went wrong', retryAfter } = answer
      const body = speaksAnthropic
        ? { type: 'error', error: { type: 'api_error', message: words } }
        : { error: { message: words, type: 'error', param: null, code: null } }
      return json(status, body, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
    }
    case 'raw':
      return { status: answer.status ?? 200, headers: {}, body: answer.body }
    case 'redirect':
      return { status: 302, headers: { location: answer.to }, body: '' }
    case 'never':
    case 'hang up':
      return answer.kind
  }
}

function completion(content: string | null, finish_reason: string, refusal: string | null = null): Served {
  return json(200, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'test-model',
    choices: [{ index: 0, message: { role: 'assistant', content, refusal }, finish_reason, logprobs: null }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  })
}

function message(text: string, stop_reason: string): Served {
  return json(200, {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'test-model',
    content: text === '' ? [] : [{ type: 'text', text }],
    stop_reason,
    usage: { input_tokens: 100, output_tokens: 20 },
  })
}

function json(status: number, body: object, headers: { readonly [name: string]: string } = {}): Served {
  return { status, headers, body: JSON.stringify(body) }
}

// biome-ignore lint/suspicious/noExplicitAny: either dialect's body.
function promptOf(body: any): { system: string; user: string } {
  const messages: readonly { readonly role: string; readonly content: string }[] = body?.messages ?? []
  const said = (role: string) => messages.filter((each) => each.role === role).map(({ content }) => content)
  return { system: body?.system ?? said('system').join('\n'), user: said('user').join('\n') }
}
