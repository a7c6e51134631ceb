import { CallFailure } from '@callboard/worker'
import type { Clock } from '@callboard/worker/clock'
import type { Variables } from '../environment.js'
import type { ChatRunnerConfig } from '../groups/group.js'
import type { Hub } from '../hub/hub.js'
import type { Log } from '../log.js'
import { Chat, type ChatEndpoint, stopped } from './chat.js'
import { ChatTools } from './chat-tools.js'
import type { Conversations } from './conversations.js'
import { redacted } from './redaction.js'
import type { RunError, Runner, RunReport, RunRequest } from './runner.js'

export interface ChatRunnerOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly hub: Pick<Hub, 'call' | 'tools'>
  readonly conversations: Conversations
  /** Holds the keys. */
  readonly environment: Variables
  readonly log: Log
}

/** Asks a model behind a chat endpoint, and calls for it the tools of the group. */
export class ChatRunner implements Runner {
  readonly #options: ChatRunnerOptions

  constructor(options: ChatRunnerOptions) {
    this.#options = options
  }

  async run(request: RunRequest, signal: AbortSignal): Promise<RunReport> {
    const { conversations } = this.#options
    const endpoint = this.#endpointOf(chatOf(request))
    if ('class' in endpoint) return { text: '', error: endpoint }
    const isContinued = request.contextMode === 'group'
    const history = isContinued ? await conversations.conversationOf(request.group) : []
    const tools = await this.#toolsOf(request, signal)
    if (!(tools instanceof ChatTools)) return { text: '', error: tools }
    const chat = new Chat({ request, endpoint, tools, history, signal, clock: this.#options.clock })
    const report = await chat.run()
    // A conversation with an empty answer in it is refused by some endpoints ever after.
    if (isContinued && report.error === undefined && report.text !== '' && !signal.aborted) {
      await conversations.appendTurns(request.group, [
        { role: 'user', content: request.prompt },
        { role: 'assistant', content: report.text },
      ])
    }
    return report
  }

  #endpointOf({ baseUrl, model, keyEnv }: ChatRunnerConfig): ChatEndpoint | RunError {
    const key = keyEnv === undefined ? undefined : this.#options.environment[keyEnv]?.trim() || undefined
    if (keyEnv !== undefined && key === undefined) {
      return {
        class: 'bad_config',
        text: `Set ${keyEnv}: the scheduler's environment has no such key.`,
        transient: false,
      }
    }
    const address = `${baseUrl.replace(/\/+$/, '')}/chat/completions`
    if (!URL.canParse(address))
      return { class: 'bad_config', text: 'base_url is no URL: correct it.', transient: false }
    const url = new URL(address)
    return { url, model, host: url.host, key, keyEnv }
  }

  async #toolsOf({ token, runId }: RunRequest, signal: AbortSignal): Promise<ChatTools | RunError> {
    const { hub, log } = this.#options
    try {
      const listed = await untilAborted(hub.tools(token), signal)
      if (listed === undefined) return stopped
      const tools = new ChatTools(hub, listed)
      if (tools.leftOut > 0) log.warn({ run: runId, tools: tools.leftOut }, 'a model is not told of all tools')
      return tools
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error
      const text = `The hub did not say what this group's tools are: ${redacted(error.message, token)}`
      return { class: 'network', text, transient: true }
    }
  }
}

function chatOf({ group }: RunRequest): ChatRunnerConfig {
  if (group.runner?.kind !== 'http') throw new Error(`group ${group.folder} has no chat endpoint`)
  return group.runner
}

/** Undefined once the signal aborts; then nobody waits for the promise any more. */
async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  promise.catch(() => {})
  if (signal.aborted) return undefined
  const over = new AbortController()
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: over.signal })
  })
  return Promise.race([promise, aborted]).finally(() => over.abort())
}
