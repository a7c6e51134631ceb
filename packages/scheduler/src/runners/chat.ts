import type { Clock } from '@callboard/worker/clock'
import { chatAnswerBytesMax, chatRoundsMax, chatToolCallsPerRoundMax, resultBytesMax } from '../limits.js'
import { type ChatAnswer, parseChatAnswer } from './chat-answer.js'
import { type Endpoint, failureOfBody, failureOfRequest, failureOfStatus } from './chat-failures.js'
import type { ChatTools } from './chat-tools.js'
import type { Turn } from './conversations.js'
import { withinBytes } from './head-and-tail.js'
import { httpPost } from './http-post.js'
import { redacted } from './redaction.js'
import type { RunError, RunReport, RunRequest } from './runner.js'
import { type Usage, withAnswer } from './usage.js'

/** A chat endpoint, and what to ask of it. */
export interface ChatEndpoint extends Endpoint {
  readonly url: URL
  readonly model: string
}

export interface ChatOptions {
  readonly request: RunRequest
  readonly endpoint: ChatEndpoint
  readonly tools: ChatTools
  readonly history: readonly Turn[]
  readonly signal: AbortSignal
  readonly clock: Pick<Clock, 'now'>
}

/** One conversation with a model: it is asked again as long as it asks for tools. */
export class Chat {
  readonly #options: ChatOptions
  readonly #messages: object[]
  readonly #warnings: string[] = []
  #usage: Usage = {}
  #toolCalls = 0

  constructor(options: ChatOptions) {
    this.#options = options
    this.#messages = [...options.history, { role: 'user', content: options.request.prompt }]
    const { leftOut } = options.tools
    if (leftOut > 0) this.#warnings.push(`The model was not told of ${leftOut} tools: there are too many.`)
  }

  async run(): Promise<RunReport> {
    for (let round = 1; round <= chatRoundsMax; round += 1) {
      const answer = await this.#ask(round)
      if ('class' in answer) return this.#report('', answer)
      this.#usage = withAnswer(this.#usage, answer.body)
      if (answer.isCut) this.#warnings.push('The endpoint cut the answer off.')
      if (answer.toolCalls.length === 0) return this.#report(answer.text)
      if (round === chatRoundsMax) return this.#report(answer.text, noEnd)
      await this.#callTools(answer, round)
      if (this.#options.signal.aborted) return this.#report(answer.text, stopped)
    }
    throw new Error('a chat has at least one round')
  }

  async #ask(round: number): Promise<ChatAnswer | RunError> {
    const { endpoint, signal, clock } = this.#options
    try {
      const answer = await httpPost({
        url: endpoint.url,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(endpoint.key !== undefined && { authorization: `Bearer ${endpoint.key}` }),
        },
        body: JSON.stringify(this.#body(round)),
        answerBytesMax: chatAnswerBytesMax,
        signal,
      })
      if (answer.status < 200 || answer.status > 299) return failureOfStatus(answer, endpoint, clock.now())
      return parseChatAnswer(answer.body, round) ?? failureOfBody(answer.body, endpoint)
    } catch (error) {
      return signal.aborted ? stopped : failureOfRequest(error, endpoint)
    }
  }

  #body(round: number): object {
    const { endpoint, tools } = this.#options
    const { definitions } = tools
    return {
      model: endpoint.model,
      messages: this.#messages,
      // An empty list is refused by some.
      ...(definitions.length > 0 && { tools: definitions }),
      // There will be no round in which it could read another result.
      ...(definitions.length > 0 && round === chatRoundsMax && { tool_choice: 'none' }),
      stream: false,
    }
  }

  /** One after the other, in the model's order: what one does may be what the next one stands on. */
  async #callTools({ message, toolCalls }: ChatAnswer, round: number): Promise<void> {
    const { request, signal } = this.#options
    this.#messages.push(message)
    for (const [index, call] of toolCalls.entries()) {
      if (signal.aborted) return
      const content = index < chatToolCallsPerRoundMax ? await this.#callTool(call, `${round}.${index}`) : tooMany
      this.#messages.push({ role: 'tool', tool_call_id: call.id, content: redacted(content, request.token) })
    }
  }

  async #callTool(call: ChatAnswer['toolCalls'][number], place: string): Promise<string> {
    const { tools, request, signal } = this.#options
    this.#toolCalls += 1
    try {
      return await tools.call(call, place, request, signal)
    } catch (error) {
      if (signal.aborted) return stopped.text
      throw error
    }
  }

  #report(text: string, error?: RunError): RunReport {
    const { request, endpoint } = this.#options
    const clean = redacted(redacted(text.replaceAll('\0', '\uFFFD'), request.token), endpoint.key ?? '')
    return {
      text: withinBytes(clean, resultBytesMax),
      ...this.#usage,
      toolCalls: this.#toolCalls,
      ...(error !== undefined && { error }),
      ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
    }
  }
}

export const stopped: RunError = { class: 'network', text: 'The run was stopped.', transient: true }

const noEnd: RunError = {
  class: 'upstream',
  text: `The model still asked for tools in round ${chatRoundsMax}, the last one: ask it for less, or in several tasks.`,
  transient: false,
}

const tooMany = `This call was not made: one answer may ask for at most ${chatToolCallsPerRoundMax} tools. Ask again.`
