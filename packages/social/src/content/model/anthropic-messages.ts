import { z } from 'zod'
import { modelTokensMax } from '../../limits.js'
import { type Dialect, noAnswer } from './dialect.js'
import { parseJson } from './parse-json.js'

const tokens = z.int().min(0).max(modelTokensMax).nullish().catch(0)

const answerSchema = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish().catch(undefined),
})

const usageSchema = z.looseObject({
  usage: z.looseObject({
    input_tokens: tokens,
    output_tokens: tokens,
    cache_creation_input_tokens: tokens,
    cache_read_input_tokens: tokens,
  }),
})

export const anthropicMessages: Dialect = {
  questionPath: '/messages',
  modelsPath: '/models',
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) }),
  body: (model, { system, user, maxTokens, temperature }) => ({
    model,
    max_tokens: maxTokens,
    system,
    messages: [{ role: 'user', content: user }],
    temperature,
  }),
  read(body) {
    const json = parseJson(body)
    const answer = answerSchema.safeParse(json).data
    const usage = usageSchema.safeParse(json).data?.usage
    const fromCache = (usage?.cache_creation_input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0)
    const spent = { input: (usage?.input_tokens ?? 0) + fromCache, output: usage?.output_tokens ?? 0 }
    if (answer === undefined) return { ...noAnswer, tokens: spent }
    const texts = answer.content.filter(({ type }) => type === 'text').map(({ text = '' }) => text)
    return {
      answer: { text: texts.join(''), isCut: answer.stop_reason === 'max_tokens' },
      tokens: spent,
      isRefusal: answer.stop_reason === 'refusal',
    }
  },
}
