import { z } from 'zod'

const toolCall = z.looseObject({
  id: z.string().optional(),
  function: z.looseObject({
    name: z.string(),
    // Some servers send the object itself.
    arguments: z.union([z.string(), z.looseObject({})]).nullish(),
  }),
})

const part = z.looseObject({ type: z.string(), text: z.string().optional() })

/** The OpenAI form of a chat completion, as far as it matters here. */
const schema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z.looseObject({
          content: z.union([z.string(), z.array(part)]).nullish(),
          tool_calls: z.array(toolCall).nullish(),
        }),
      }),
    )
    .min(1),
})

export interface ChatToolCall {
  readonly id: string
  readonly name: string
  /** As the model wrote it: JSON, if all is well. */
  readonly arguments: string
}

export interface ChatAnswer {
  readonly text: string
  readonly toolCalls: readonly ChatToolCall[]
  /** For the next request, as it came: some endpoints put marks into it that they want to see again. */
  readonly message: object
  /** Whether the endpoint cut it off. */
  readonly isCut: boolean
  /** The body as it came, for what else it reports. */
  readonly body: unknown
}

/** One answer; undefined when it is none. `round` makes ids for calls that came without. */
export function parseChatAnswer(body: string, round: number): ChatAnswer | undefined {
  const json = parseJson(body)
  const choice = schema.safeParse(json).data?.choices[0]
  if (choice === undefined) return undefined
  const { content, tool_calls } = choice.message
  const calls = (tool_calls ?? []).map((call, index) => ({
    ...call,
    id: call.id || `call_${round}_${index}`,
    type: 'function',
    function: { ...call.function, arguments: argumentsText(call.function.arguments) },
  }))
  return {
    text: typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(''),
    toolCalls: calls.map((call) => ({ id: call.id, name: call.function.name, arguments: call.function.arguments })),
    message: { ...choice.message, role: 'assistant', ...(calls.length > 0 && { tool_calls: calls }) },
    isCut: choice.finish_reason === 'length',
    body: json,
  }
}

/** What a refusal says of itself: `{"error": {"message"}}`, `{"error": "…"}` or nothing that is known. */
export function errorMessageOf(body: string): string | undefined {
  const { error } = z.looseObject({ error: z.unknown() }).safeParse(parseJson(body)).data ?? {}
  if (typeof error === 'string') return error
  return z.looseObject({ message: z.string() }).safeParse(error).data?.message
}

function argumentsText(value: string | object | null | undefined): string {
  if (typeof value === 'string') return value.trim() === '' ? '{}' : value
  return JSON.stringify(value ?? {})
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
