import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { archetypes, formats, structures } from '../../src/content/content-writer.js'
import { openContentWriter } from '../../src/content/open-content-writer.js'
import { HttpClient } from '../../src/http/http-client.js'
import { plainNetwork } from '../support/plain-network.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

let foundation: TestFoundation
beforeAll(async () => {
  foundation = await openTestFoundation()
})
afterAll(() => foundation[Symbol.asyncDispose]())

const local = plainNetwork('local')
const warning = 'No model is configured, so this is template text: make it yours before you propose it.'

function writerOf(config: object = {}) {
  return openContentWriter({ ...foundation, config: parseSocialConfig(config) }, new HttpClient(foundation.clock))
}

describe('without a model', () => {
  it('every format is written, equally each time, and says where it comes from', async () => {
    for (const format of formats) {
      const wish = { network: local, topic: 'open networks', format }
      const written = await writerOf().post(wish)
      expect(written).toMatchObject({
        generatedBy: 'template',
        topic: 'open networks',
        shape: format,
        warnings: [warning],
      })
      expect(written.parts[0]).toMatch(/open networks|Open networks/)
      expect(await writerOf().post(wish)).toEqual(written)
    }
  })

  it('the format is chosen by the topic when none is named: equal topics give equal posts', async () => {
    const wish = { network: local, topic: 'open networks' }
    const first = await writerOf().post(wish)
    expect(await writerOf().post(wish)).toEqual(first)
    expect(formats).toContain(first.shape)
  })

  it('other topics, networks and profiles have other texts', async () => {
    const texts = new Set<string>()
    const topics = ['mail', 'tea', 'rain', 'trains', 'paper', 'salt']
    for (const topic of topics) {
      const { parts } = await writerOf().post({ network: local, topic, format: 'tip' })
      texts.add(parts[0]!.replace(topic, ''))
    }
    expect(texts.size).toBeGreaterThan(1)
    const shapes = new Set<string>()
    for (const product_name of topics) {
      const config = { business: { product_name, product_keywords: ['x'] } }
      shapes.add((await writerOf(config).post({ network: local, topic: 'tea' })).shape)
    }
    expect(shapes.size).toBeGreaterThan(1)
  })

  it('a profile of two lines is enough', async () => {
    const writer = writerOf({ business: { product_name: 'Plover', competitor_keywords: ['Stilt'] } })
    for (const format of formats) {
      expect((await writer.post({ network: local, format })).parts[0]).toMatch(/Plover/)
    }
  })

  it('a topic that nobody named is a random one of the industry topics', async () => {
    const writer = writerOf()
    const topics = new Set<string | undefined>()
    for (let count = 0; count < 40; count += 1) topics.add((await writer.post({ network: local })).topic)
    expect([...topics].sort()).toEqual(['agent workflows', 'human approval', 'open networks', 'self-hosting'])
  })

  it('a topic stands on one line, whatever is in it', async () => {
    const { parts, topic } = await writerOf().post({
      network: local,
      topic: ' open\n---\nnetworks\u202e\u0000 ',
      format: 'tip',
    })
    expect(topic).toBe('open --- networks')
    expect(parts[0]).not.toMatch(/^---$/m)
  })

  it('a very long topic is shortened, with a warning', async () => {
    const written = await writerOf().post({ network: plainNetwork('x'), topic: '開かれた'.repeat(50), format: 'list' })
    expect(written.warnings).toEqual([warning, 'It was shortened to fit.'])
  })

  it('a network that takes next to nothing is tweet_too_long', async () => {
    const narrow = plainNetwork('mastodon', { lengthRule: { kind: 'short-urls', max: 10, urlLength: 23 } })
    await expect(writerOf().post({ network: narrow, topic: 'tea', format: 'tip' })).rejects.toMatchObject({
      code: 'tweet_too_long',
      options: { details: { network: 'mastodon', limit: 10 } },
    })
  })

  it('every structure has the parts that are wished, five by default', async () => {
    for (const structure of structures) {
      for (const parts of [undefined, 5, 6, 7, 8]) {
        const wish = { network: local, topic: 'tea', structure, ...(parts !== undefined && { parts }) }
        const written = await writerOf().thread(wish)
        expect(written).toMatchObject({ generatedBy: 'template', shape: structure, warnings: [warning] })
        expect(written.parts).toHaveLength(parts ?? 5)
        expect(new Set(written.parts).size).toBe(written.parts.length)
        expect(await writerOf().thread(wish)).toEqual(written)
      }
    }
  })
})

describe('a reply without a model', () => {
  const wish = { network: local, text: 'Thinking about MCP today.', author: 'bob', mentionProduct: false }

  it('takes up a word of ours that the post has', async () => {
    for (const archetype of archetypes) {
      const { parts, shape } = await writerOf().reply({ ...wish, archetype })
      expect([shape, parts[0]]).toEqual([archetype, expect.stringMatching(/\bMCP\b/)])
    }
  })

  it('takes up no other word of the post, and no part of one of ours', async () => {
    for (const archetype of archetypes) {
      const { parts } = await writerOf().reply({ ...wish, archetype, text: 'mcps {product} https://evil.example' })
      expect(parts[0]).not.toMatch(/mcp|evil|Callboard|[{}]/)
    }
  })

  it('is the same for the same post, archetype included', async () => {
    const first = await writerOf().reply(wish)
    expect(await writerOf().reply(wish)).toEqual(first)
    const shapes = new Set<string>()
    for (let index = 0; index < 60; index += 1)
      shapes.add((await writerOf().reply({ ...wish, text: `${index}` })).shape)
    expect([...shapes].sort()).toEqual([...archetypes].sort())
  })

  it('names the product only where that is asked for, and says whose it is', async () => {
    expect((await writerOf().reply(wish)).parts[0]).not.toContain('Callboard')
    expect((await writerOf().reply({ ...wish, mentionProduct: true })).parts[0]).toContain('I am with Callboard')
  })

  it('begins as the network wants it', async () => {
    const { parts } = await writerOf().reply({
      ...wish,
      network: plainNetwork('mastodon'),
      author: '@bob@home.example',
    })
    expect(parts[0]).toMatch(/^@bob@home\.example \p{Lu}/u)
  })

  it('never knows a word of a competitor', async () => {
    const writer = writerOf({ business: { product_name: 'Plover', competitor_keywords: ['Stilt'] } })
    const { parts } = await writer.reply({ ...wish, text: 'I like Stilt.', archetype: 'agree_and_expand' })
    expect(parts[0]).not.toContain('Stilt')
  })
})

describe('with templates switched off', () => {
  const off = { llm: { templates: false } }

  it('nothing is written', async () => {
    const writer = writerOf(off)
    const asked = [
      writer.post({ network: local }),
      writer.thread({ network: local }),
      writer.reply({ network: local, text: 'Hello', author: 'bob', mentionProduct: false }),
    ]
    for (const each of asked) await expect(each).rejects.toMatchObject({ code: 'llm_not_configured', retryable: false })
  })

  it.each([
    [{}, 'social.llm.provider is none); texts come from templates'],
    [off, 'nothing is generated'],
  ])('or without a model (%j), a check says so', async (config, words) => {
    const writer = writerOf(config)
    expect(writer.hasModel).toBe(false)
    expect(await writer.check()).toEqual({ status: 'not_configured', message: expect.stringContaining(words) })
  })
})
