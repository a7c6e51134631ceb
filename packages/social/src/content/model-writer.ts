import type { Foundation } from '../foundation.js'
import { postTokensMax, replySentencesMax, replyTokensMax, threadTokensMax } from '../limits.js'
import { chooseArchetype } from './choose-archetype.js'
import {
  type ContentWriter,
  formats,
  type PostWish,
  type ReplyWish,
  structures,
  type ThreadWish,
  type Written,
} from './content-writer.js'
import type { LanguageModel, ModelRequest } from './model/language-model.js'
import type { Demand } from './output/examine.js'
import { asksForHashtags } from './prompts/asks-for-hashtags.js'
import { postPrompt } from './prompts/post-prompt.js'
import type { Prompt } from './prompts/prompt.js'
import { replyPrompt } from './prompts/reply-prompt.js'
import { threadPrompt } from './prompts/thread-prompt.js'
import { replyPrefix, roomBehind } from './reply-prefix.js'
import { randomTopic } from './topics/profile-topics.js'
import { topicText } from './topics/topic-text.js'
import { type Ask, writeOne } from './write-one.js'
import { writeThread } from './write-thread.js'

/** Writes by a model, and checks what it wrote: the model has read what strangers say. */
export class ModelWriter implements ContentWriter {
  readonly hasModel = true
  readonly #foundation: Foundation
  readonly #model: LanguageModel

  constructor(foundation: Foundation, model: LanguageModel) {
    this.#foundation = foundation
    this.#model = model
  }

  async reply(wish: ReplyWish, signal?: AbortSignal): Promise<Written> {
    const { network, author, mentionProduct } = wish
    const { config, random } = this.#foundation
    const { business } = config
    const shape = wish.archetype ?? chooseArchetype(random())
    const prefix = replyPrefix(network, author)
    const prompt = replyPrompt(business, wish, shape, roomBehind(prefix, network), random)
    const asked = mentionProduct ? this.#ownNames() : ''
    const demand: Demand = {
      prompt,
      network,
      prefix,
      sentencesMax: replySentencesMax,
      hashtags: asksForHashtags(business.reply_style),
      asked: `@${author.trim().replace(/^@/, '')} ${asked}`,
    }
    const settings = { purpose: 'reply', maxTokens: replyTokensMax, temperature: 0.7 }
    const { text, warnings } = await writeOne(this.#ask(prompt, settings, wish.principal, signal), demand)
    const named = !mentionProduct && text.toLowerCase().includes(business.product_name.toLowerCase())
    const more = named ? [`It names ${business.product_name} although that was not asked for.`] : []
    return { parts: [text], generatedBy: 'llm', shape, warnings: [...warnings, ...more] }
  }

  async post(wish: PostWish, signal?: AbortSignal): Promise<Written> {
    const { network } = wish
    const { config, random } = this.#foundation
    const topic = this.#topicOf(wish)
    const shape = wish.format ?? formats[Math.floor(random() * formats.length)]!
    const prompt = postPrompt(config.business, topic, shape, roomBehind('', network), random)
    const settings = { purpose: 'tweet', maxTokens: postTokensMax, temperature: 0.8 }
    const ask = this.#ask(prompt, settings, wish.principal, signal)
    const { text, warnings } = await writeOne(ask, this.#postDemand(prompt, topic, wish))
    return { parts: [text], generatedBy: 'llm', topic, shape, warnings }
  }

  async thread(wish: ThreadWish, signal?: AbortSignal): Promise<Written> {
    const { network, parts } = wish
    const { config, random } = this.#foundation
    const topic = this.#topicOf(wish)
    const shape = wish.structure ?? structures[Math.floor(random() * structures.length)]!
    const plan = { topic, structure: shape, parts }
    const prompt = threadPrompt(config.business, plan, roomBehind('', network), random)
    const settings = { purpose: 'thread', maxTokens: threadTokensMax, temperature: 0.7 }
    const ask = this.#ask(prompt, settings, wish.principal, signal)
    const { texts, warnings } = await writeThread(ask, this.#postDemand(prompt, topic, wish), parts)
    return { parts: texts, generatedBy: 'llm', topic, shape, warnings }
  }

  check(): ReturnType<ContentWriter['check']> {
    return this.#model.check()
  }

  #topicOf({ topic }: PostWish | ThreadWish): string {
    const { config, random } = this.#foundation
    return topicText(topic ?? randomTopic(config.business, random))
  }

  #postDemand(prompt: Prompt, topic: string, { network }: PostWish | ThreadWish): Demand {
    const { business } = this.#foundation.config
    const hashtags = asksForHashtags(topic) || asksForHashtags(business.content_style)
    return { prompt, network, prefix: '', hashtags, asked: `${topic} ${this.#ownNames()}` }
  }

  #ownNames(): string {
    const { product_name, product_url = '', product_description = '' } = this.#foundation.config.business
    return `${product_name} ${product_url} ${product_description}`
  }

  #ask(
    { system, user }: Prompt,
    settings: Pick<ModelRequest, 'purpose' | 'maxTokens' | 'temperature'>,
    principal: string | undefined,
    signal: AbortSignal | undefined,
  ): Ask {
    const request = { system, ...settings, ...(principal !== undefined && { principal }) }
    return (remark) => this.#model.ask({ ...request, user: remark === '' ? user : `${user}\n\n${remark}` }, signal)
  }
}
