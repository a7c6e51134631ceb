import { z } from 'zod'
import { modelTokensMax } from '../../limits.js'
import { type Dialect, noAnswer } from './dialect.js'
import { parseJson } from './parse-json.js'

const tokens = z.int().min(0).max(modelTokensMax).catch(0)
const block = z.looseObject({ type: z.string(), text: z.string().optional() })

const answerSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish().catch(undefined),
        message: z.looseObject({
          content: z.union([z.string(), z.array(block)]).nullish(),
          refusal: z.string().nullish().catch(undefined),
        }),
      }),
    )
    .min(1),
})

const usageSchema = z.looseObject({ usage: z.looseObject({ prompt_tokens: tokens, completion_tokens: tokens }) })

/** OpenAI's form, which Groq, Ollama and most others speak. */
export const chatCompletions: Dialect = {
  questionPath: '/chat/completions',
  modelsPath: '/models',
  headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body: (model, { system, user, maxTokens, temperature }) => ({
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    temperature,
    max_tokens: maxTokens,
  }),
  read(body) {
    const json = parseJson(body)
    const choice = answerSchema.safeParse(json).data?.choices[0]
    const usage = usageSchema.safeParse(json).data?.usage
    const spent = { input: usage?.prompt_tokens ?? 0, output: usage?.completion_tokens ?? 0 }
    if (choice === undefined) return { ...noAnswer, tokens: spent }
    const { content, refusal } = choice.message
    const text = typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('')
    return {
      answer: { text, isCut: choice.finish_reason === 'length' },
      tokens: spent,
      isRefusal: (typeof refusal === 'string' && refusal !== '') || choice.finish_reason === 'content_filter',
    }
  },
}
