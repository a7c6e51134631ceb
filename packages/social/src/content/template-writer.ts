import { failure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { threadPartsMin } from '../limits.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
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
import { replyPrefix } from './reply-prefix.js'
import { type Filled, fillToFit } from './templates/fill-to-fit.js'
import { ownKeyword } from './templates/own-keyword.js'
import { fractionOf, pickVariant } from './templates/pick-variant.js'
import { postTemplates } from './templates/post-templates.js'
import { productTemplates, replyTemplates } from './templates/reply-templates.js'
import { fill, fillable, type Slots } from './templates/slots.js'
import { threadTemplates } from './templates/thread-templates.js'
import { tooLong } from './too-long.js'
import { randomTopic } from './topics/profile-topics.js'
import { topicPhrase, topicText } from './topics/topic-text.js'

/** Writes without a model. Equal wishes give equal texts; only a topic that nobody named is left to chance. */
export class TemplateWriter implements ContentWriter {
  readonly hasModel = false
  readonly #foundation: Foundation

  constructor(foundation: Foundation) {
    this.#foundation = foundation
  }

  async reply({ network, text, author, mentionProduct, archetype }: ReplyWish): Promise<Written> {
    this.#refuseWithoutTemplates()
    const { business } = this.#foundation.config
    const about = [author, text]
    const shape = archetype ?? chooseArchetype(fractionOf('archetype', about, network.name, business))
    const keyword = ownKeyword(text, business)
    const { onKeyword, onAnything } = replyTemplates[shape]
    const slots: Slots = { keyword, product: business.product_name }
    const pick = (kind: string, variants: readonly string[]) =>
      pickVariant(variants, kind, about, shape, network.name, business)
    const body = pick('reply', keyword === undefined ? onAnything : onKeyword)
    const template = mentionProduct ? `${body} ${pick('product', productTemplates)}` : body
    // The author is nobody's slot: whatever stands in that name, it is not looked into.
    const filled = this.#filled(template, slots, network, replyPrefix(network, author))
    return { parts: [filled.text], generatedBy: 'template', shape, warnings: warningsOf([filled]) }
  }

  async post({ network, topic: named, format }: PostWish): Promise<Written> {
    this.#refuseWithoutTemplates()
    const { business } = this.#foundation.config
    const topic = this.#topicOf(named)
    const shape = format ?? pickVariant(formats, 'format', topic, network.name, business)
    const slots = this.#slots(topic, network)
    const variants = fillable(postTemplates[shape], slots)
    const template = pickVariant(variants, 'tweet', topic, shape, network.name, business)
    const filled = this.#filled(template, slots, network)
    return { parts: [filled.text], generatedBy: 'template', topic, shape, warnings: warningsOf([filled]) }
  }

  async thread({ network, topic: named, structure, parts = threadPartsMin }: ThreadWish): Promise<Written> {
    this.#refuseWithoutTemplates()
    const { business } = this.#foundation.config
    const topic = this.#topicOf(named)
    const shape = structure ?? pickVariant(structures, 'structure', topic, network.name, business)
    const { hook, steps, last } = threadTemplates[shape]
    const slots = this.#slots(topic, network)
    const filled = [hook, ...steps.slice(0, parts - 2), last].map((variants, position) => {
      const template = pickVariant(variants, `thread ${position}`, topic, shape, network.name, business)
      return this.#filled(template, slots, network)
    })
    const texts = filled.map(({ text }) => text)
    return { parts: texts, generatedBy: 'template', topic, shape, warnings: warningsOf(filled) }
  }

  async check(): ReturnType<ContentWriter['check']> {
    const { templates } = this.#foundation.config.llm
    const then = templates ? 'texts come from templates' : 'nothing is generated, as social.llm.templates is false'
    return { status: 'not_configured', message: `No model is configured (social.llm.provider is none); ${then}.` }
  }

  #refuseWithoutTemplates(): void {
    if (this.#foundation.config.llm.templates) return
    throw failure(
      'llm_not_configured',
      'No model is configured and templates are switched off. An operator sets social.llm.provider and social.llm.model, or social.llm.templates to true; until then write the text yourself.',
    )
  }

  #topicOf(named: string | undefined): string {
    const { config, random } = this.#foundation
    return topicText(named ?? randomTopic(config.business, random))
  }

  #slots(topic: string, network: NetworkAdapter): Slots {
    const { business } = this.#foundation.config
    const { target_audience: audience, content_pillars, product_name: product } = business
    // A post in the spirit of its own topic says nothing.
    const pillars = content_pillars.filter((pillar) => pillar.toLowerCase() !== topic.toLowerCase())
    const pillar = pillars.length === 0 ? undefined : pickVariant(pillars, 'pillar', topic, network.name, business)
    return { topic: topicPhrase(topic), audience, pillar, product }
  }

  #filled(template: string, slots: Slots, network: NetworkAdapter, prefix = ''): Filled {
    const filled = fillToFit(template, slots, network.lengthRule, prefix)
    if (filled === undefined) throw tooLong(`${prefix}${fill(template, slots)}`, network)
    return filled
  }
}

function warningsOf(filled: readonly Filled[]): string[] {
  const isShortened = filled.some((each) => each.isShortened)
  return [templateWarning, ...(isShortened ? ['It was shortened to fit.'] : [])]
}

const templateWarning = 'No model is configured, so this is template text: make it yours before you propose it.'
