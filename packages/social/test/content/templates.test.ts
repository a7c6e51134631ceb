import { describe, expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { archetypes, formats, structures } from '../../src/content/content-writer.js'
import { fillToFit } from '../../src/content/templates/fill-to-fit.js'
import { postTemplates } from '../../src/content/templates/post-templates.js'
import { productTemplates, replyTemplates } from '../../src/content/templates/reply-templates.js'
import { fill, fillable, type Slots } from '../../src/content/templates/slots.js'
import { threadTemplates } from '../../src/content/templates/thread-templates.js'
import { topicPhrase } from '../../src/content/topics/topic-text.js'
import { measure } from '../../src/text/measure.js'
import { lengthRules } from '../support/plain-network.js'

const { business } = parseSocialConfig({})

/** Every text of templates that a person may see, with where it stands. */
const posts = formats.flatMap((format) => postTemplates[format].map((text) => ({ where: format, text })))
const replies = archetypes.flatMap((archetype) =>
  [...replyTemplates[archetype].onKeyword, ...replyTemplates[archetype].onAnything].map((text) => ({
    where: archetype,
    text,
  })),
)
const parts = structures.flatMap((structure) => {
  const { hook, steps, last } = threadTemplates[structure]
  return [hook, ...steps, last].flatMap((texts, position) =>
    texts.map((text) => ({ where: `${structure} ${position}`, text })),
  )
})
const [longestProduct] = [...productTemplates].sort((a, b) => b.length - a.length)
const productReplies = replies.map(({ where, text }) => ({
  where: `${where} with product`,
  text: `${text} ${longestProduct}`,
}))
const all = [...posts, ...replies, ...parts, ...productReplies]

const [pillar] = [...business.content_pillars].sort((a, b) => b.length - a.length)
const usual = [...business.industry_topics, ...business.content_pillars, ...business.product_keywords]
  .sort((a, b) => b.length - a.length)
  .map(
    (topic): Slots => ({
      topic,
      keyword: topic,
      pillar,
      audience: business.target_audience,
      product: business.product_name,
    }),
  )
const long =
  'how small teams that run many agents at once can keep an eye on what each of them does, and on what it costs, without reading every line that any of them has ever written to a log file that nobody opens'
const longSlots: Slots = {
  topic: topicPhrase(long),
  keyword: long,
  pillar: long,
  audience: `${long}${long}`,
  product: long.slice(0, 200),
}

describe('there are at least three variants', () => {
  it.each(formats)('of the format %s that need no more than a topic', (format) => {
    expect(fillable(postTemplates[format], { topic: 'email' }).length).toBeGreaterThanOrEqual(3)
  })

  it.each(archetypes)('of the archetype %s, with a keyword and without', (archetype) => {
    const { onKeyword, onAnything } = replyTemplates[archetype]
    expect(fillable(onKeyword, { keyword: 'email' }).length).toBeGreaterThanOrEqual(3)
    expect(fillable(onAnything, {}).length).toBeGreaterThanOrEqual(3)
  })

  it.each(structures)('of each part of the structure %s, for up to eight parts', (structure) => {
    const { hook, steps, last } = threadTemplates[structure]
    expect(steps).toHaveLength(6)
    for (const texts of [hook, ...steps, last]) {
      expect(fillable(texts, { topic: 'email' }).length).toBeGreaterThanOrEqual(3)
    }
  })

  it('and no two are the same', () => {
    const texts = [...posts, ...replies, ...parts].map(({ text }) => text)
    expect(new Set(texts).size).toBe(texts.length)
  })
})

// What 280 weighted characters hold fits everywhere.
describe.each([['x', lengthRules.x] as const, ['local', lengthRules.local] as const])('on %s', (_, rule) => {
  it('every text fits with the longest topic of the default profile, whole', () => {
    for (const { where, text } of all) {
      const filled = fill(text, usual[0]!)
      expect(measure(filled, rule).fits, `${where}: ${filled}`).toBe(true)
    }
  })

  it('every text fits with very long slots, shortened', () => {
    for (const { where, text } of all) {
      const filled = fillToFit(text, longSlots, rule)
      expect(filled && measure(filled.text, rule).fits, `${where}: ${filled?.text}`).toBe(true)
    }
  })

  it('every text fits with slots in which each letter counts twice', () => {
    const slots = Object.fromEntries(Object.keys(longSlots).map((name) => [name, '開かれたネットワーク'.repeat(20)]))
    for (const { where, text } of all) {
      const filled = fillToFit(text, slots, rule)
      expect(filled && measure(filled.text, rule).fits, `${where}: ${filled?.text}`).toBe(true)
    }
  })
})

describe('every text', () => {
  it('is whole when it is filled: no slot is left, and none is empty', () => {
    for (const { where, text } of all) {
      for (const slots of [...usual, longSlots]) {
        expect(fill(text, slots), where).not.toMatch(/[{}]|undefined|null| {2}|^\s|\s$/)
      }
    }
  })

  it('ends like a sentence, and begins like one', () => {
    for (const { where, text } of all) {
      if (where !== 'list') expect(text, where).toMatch(/[.?!]$/)
      expect(text, where).toMatch(/^(\p{Lu}|\{Topic\})/u)
    }
  })

  it('has no number, no study, no hashtag, no link, no dashes, and nothing that "we" or "I" have done', () => {
    const claims =
      /\d|%|#|@|http|---|\bstud(y|ies)\b|\bresearch|\bsurvey|\bproven\b|(?<!If )\b(I|we)('ve| have| had| built| made| saw| tried| learn(ed|t)| found| used)\b|\b(my|our) (team|customers?|users?|clients?|company)\b/i
    for (const { where, text } of all) expect(text, where).not.toMatch(claims)
  })

  it('has no verb that has to agree with a topic', () => {
    // Behind these words the slot is no subject.
    const agreeing =
      /(?<!something about |account of |how you deal with |goes into |side of )\{(?:topic|keyword)\} (?!as\b|this\b)(?:\w+s|are|have|were|do|go|need|work|feel)\b/i
    for (const { where, text } of all) {
      expect(text, where).not.toMatch(agreeing)
      // Behind these the slot is the sentence's subject.
      expect(text, where).not.toMatch(/\b(?:is|are|has|have|was|were|does|do) \{(?:topic|keyword)\}/)
    }
  })

  it('has at most three sentences in a reply, the product included', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })
    for (const { where, text } of [...replies, ...productReplies]) {
      const count = [...segmenter.segment(fill(text, usual[0]!))].length
      expect(count, `${where}: ${text}`).toBeLessThanOrEqual(3)
    }
  })
})

describe('a slot', () => {
  it('at the beginning of a line is capitalised, unless it is a name', () => {
    const text = (topic: string) => fill('{Topic}: yes.', { topic })
    expect([text('open networks'), text('iOS'), text('e-mail'), text('élan'), text('開かれた')]).toEqual([
      'Open networks: yes.',
      'iOS: yes.',
      'E-mail: yes.',
      'Élan: yes.',
      '開かれた: yes.',
    ])
  })

  it('is never looked into for slots, nor for the patterns of a replacement', () => {
    expect(fill('About {topic}.', { topic: '{audience} $& $1', audience: 'x' })).toBe('About {audience} $& $1.')
  })

  it('is quoted when it is a sentence itself', () => {
    expect(topicPhrase('Who decides?')).toBe('“Who decides?”')
    expect(topicPhrase('what happens when nobody at all looks at it')).toMatch(/^“.*”$/)
    expect(topicPhrase('open networks.')).toBe('open networks')
  })

  it('is shortened before the end of the text is cut', () => {
    const filled = fillToFit('About {topic}: the end.', { topic: topicPhrase(long) }, { kind: 'weighted' })
    expect(filled).toEqual({ text: `About “${long}”: the end.`, isShortened: false })
    const narrow = { kind: 'short-urls', max: 100, urlLength: 23 } as const
    expect(fillToFit('About {topic}: the end.', { topic: topicPhrase(long) }, narrow)).toEqual({
      text: 'About “how small teams that run many agents at once can keep an eye on what each of…”: the end.',
      isShortened: true,
    })
  })

  it('of a text that no network takes leaves nothing', () => {
    const narrow = { kind: 'short-urls', max: 10, urlLength: 23 } as const
    expect(fillToFit('About {topic}: the end.', { topic: 'open networks' }, narrow)).toBeUndefined()
  })
})
