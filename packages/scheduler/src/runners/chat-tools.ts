import { createHash } from 'node:crypto'
import { CallFailure, type ToolResult } from '@callboard/worker'
import type { Hub, HubTool } from '../hub/hub.js'
import { chatToolNameMax, chatToolResultMax, chatToolsMax } from '../limits.js'
import type { ChatToolCall } from './chat-answer.js'
import { withinBytes } from './head-and-tail.js'
import type { RunRequest } from './runner.js'
import { textOfResult } from './tool-answer.js'

export interface ChatToolDefinition {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

/** The group's tools under names that chat endpoints take. */
export class ChatTools {
  readonly definitions: readonly ChatToolDefinition[]
  /** Tools that the model is not told of, as there are too many. */
  readonly leftOut: number
  readonly #hub: Pick<Hub, 'call'>
  readonly #names: ReadonlyMap<string, string>

  constructor(hub: Pick<Hub, 'call'>, tools: readonly HubTool[]) {
    const shown = tools.slice(0, chatToolsMax)
    const names = chatNames(shown.map(({ name }) => name))
    this.#hub = hub
    this.#names = new Map(shown.map(({ name }, index) => [names[index]!, name]))
    this.leftOut = tools.length - shown.length
    this.definitions = shown.map(({ description = '', inputSchema }, index) => ({
      type: 'function',
      function: { name: names[index]!, description, parameters: inputSchema },
    }))
  }

  /**
   * What the model is told of its call, also of one that failed. `place` tells the call from others of its run; with the run's
   * key and what is asked for it is the same in every attempt, so a model that repeats itself repeats no effect.
   */
  async call(call: ChatToolCall, place: string, request: RunRequest, signal: AbortSignal): Promise<string> {
    const name = this.#names.get(call.name)
    if (name === undefined) return failure('not_found', `There is no tool ${call.name}.`)
    const args = parseArguments(call.arguments)
    if (args === undefined) return failure('invalid_argument', 'The arguments must be one JSON object.')
    const idempotencyKey = `${request.idempotencyKey}/${place}/${hashOf(`${name}\n${call.arguments}`)}`
    try {
      return shownResult(await this.#hub.call(request.token, name, args, { signal, idempotencyKey }))
    } catch (error) {
      if (signal.aborted || !(error instanceof CallFailure)) throw error
      return failure(error.code, error.message, error.retryable)
    }
  }
}

/** 1 to 64 of `A-Z a-z 0-9 _ -`, each once; a name that had to change, or is taken, ends with a hash of the real one. */
export function chatNames(names: readonly string[]): readonly string[] {
  // Names that need no change have the first claim on themselves.
  const taken = new Set(names.filter((name) => chatName(name) === name))
  return names.map((name) => {
    const plain = chatName(name)
    if (plain === name) return name
    const suffix = `_${hashOf(name).slice(0, 8)}`
    const needsHash = taken.has(plain) || name.length > chatToolNameMax
    const shown = needsHash ? plain.slice(0, chatToolNameMax - suffix.length) + suffix : plain
    taken.add(shown)
    return shown
  })
}

function chatName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, chatToolNameMax)
}

function shownResult(result: ToolResult): string {
  const text = withinBytes(textOfResult(result), chatToolResultMax)
  return result.isError === true ? `The tool failed: ${text}` : text
}

function failure(code: string, message: string, retryable = false): string {
  return JSON.stringify({ error: { code, message, retryable } })
}

function parseArguments(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
