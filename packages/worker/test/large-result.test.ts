import { bodyBytesMax } from '@callboard/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Content, type Context, defineWorker, type ResourceLink, result, text, type Worker } from '../src/index.js'
import { keptMs } from '../src/limits.js'
import { connectForTest, type TestLink, type TestLinkOptions, textOf } from '../src/testing/index.js'

const mebibyte = 1024 * 1024
let open: TestLink | undefined

afterEach(async () => {
  await open?.close()
  open = undefined
})

async function connect(worker: Worker, options?: TestLinkOptions): Promise<TestLink> {
  open = await connectForTest(worker, options)
  return open
}

const input = z.object({})
const newWorker = () => defineWorker({ service: 'large', version: '1.0.0' })

/** What a tool without an output schema makes of what it returns. */
async function returning(returned: unknown) {
  const link = await connect(newWorker().tool('act', { description: 'Acts', input }, () => returned))
  return { link, answer: await link.callTool('act') }
}

const linksOf = (content: readonly Content[]): ResourceLink[] =>
  content.filter((item): item is ResourceLink => item.type === 'resource_link')

/** Each part by itself, as an agent reads it. */
async function readAll(link: TestLink, links: readonly ResourceLink[]): Promise<string> {
  let whole = ''
  for (const { uri } of links) {
    const [contents] = await link.readResource(uri)
    whole += contents?.['text'] ?? contents?.['blob']
  }
  return whole
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
/** A text that makes a result of exactly so many bytes. */
const textFor = (bytes: number): string => 'x'.repeat(bytes - bytesOf({ content: [text('')] }))

describe('a result', () => {
  test('of exactly one message goes as it is; one byte more goes by link [CB-4]', async () => {
    const exact = textFor(bodyBytesMax)
    expect((await returning(exact)).answer).toEqual({ content: [text(exact)] })
    await open?.close()
    const { link, answer } = await returning(`${exact}x`)
    expect(bytesOf(answer)).toBeLessThan(64 * 1024)
    expect(textOf(answer)).toMatch(`This result has ${bodyBytesMax + 1} bytes`)
    expect((await readAll(link, linksOf(answer.content))) === `${exact}x`).toBe(true)
  })

  test('loses its largest content only, each item in its place', async () => {
    const image = Buffer.alloc(3 * mebibyte, 'image').toString('base64')
    const log = 'line\n'.repeat(mebibyte)
    const about = { annotations: { priority: 1 }, _meta: { kind: 'log' } }
    const embedded = { uri: 'notes://1', mimeType: 'text/markdown', text: '# one' }
    const { link, answer } = await returning([
      text('before'),
      { type: 'image', data: image, mimeType: 'image/png' },
      { type: 'text', text: log, ...about },
      { type: 'resource', resource: embedded },
      text('after'),
    ])
    const { content } = answer
    const links = linksOf(content)
    const [images, logs] = [links.slice(0, 2), links.slice(2)]
    expect(content[1]).toEqual(text('before'))
    expect(content.slice(-2)).toEqual([{ type: 'resource', resource: embedded }, text('after')])
    expect(images).toMatchObject([
      { name: 'image 2, part 1 of 2', mimeType: 'image/png', size: 3_000_000 },
      { name: 'image 2, part 2 of 2', mimeType: 'image/png', size: 3 * mebibyte - 3_000_000 },
    ])
    expect((await readAll(link, images)) === image).toBe(true)
    expect(logs).toHaveLength(10)
    for (const each of logs) expect(each).toMatchObject({ mimeType: 'text/plain', ...about })
    expect((await readAll(link, logs)) === log).toBe(true)
  })

  test('with several images keeps those that fit, and each of the others is one resource', async () => {
    const image = (name: string) => Buffer.alloc(1.2 * mebibyte, name).toString('base64')
    const images = ['a', 'b', 'c'].map((name) => ({ type: 'image', data: image(name), mimeType: 'image/png' }))
    const { link, answer } = await returning(images)
    expect(answer.content.map(({ type }) => type)).toEqual(['text', 'resource_link', 'image', 'image'])
    expect((await readAll(link, linksOf(answer.content))) === image('a')).toBe(true)
  })

  test('with an embedded resource keeps its bytes under its name', async () => {
    const bytes = Buffer.alloc(5 * mebibyte, 'pdf')
    const resource = { uri: 'files://report.pdf', mimeType: 'application/pdf', blob: bytes.toString('base64') }
    const { link, answer } = await returning({ type: 'resource', resource })
    const links = linksOf(answer.content)
    expect(links[0]).toMatchObject({ name: 'files://report.pdf, part 1 of 2', mimeType: 'application/pdf' })
    expect((await readAll(link, links)) === resource.blob).toBe(true)
  })

  test.each([
    ['very many small', 100_000, 'line'],
    ['more large items than anybody would read', 1_000, 'line '.repeat(2_000)],
  ])('of %s items becomes one document of all', async (_, length, line) => {
    const items = Array.from({ length }, (_, index) => text(`${line} ${index} of many`))
    const { link, answer } = await returning(items)
    const links = linksOf(answer.content)
    expect(links[0]).toMatchObject({ name: expect.stringMatching(/^content, part 1 of/), mimeType: 'application/json' })
    expect(JSON.parse(await readAll(link, links))).toEqual(items)
    expect(answer.content).toHaveLength(1 + links.length)
  })

  test('that is a failure stays one', async () => {
    const { answer } = await returning(result({ isError: true, content: text('no'.repeat(3 * mebibyte)) }))
    expect(answer.isError).toBe(true)
    expect(linksOf(answer.content)).toHaveLength(12)
  })

  test('beyond what is kept is refused at the source, with its size', async () => {
    const { answer } = await returning('x'.repeat(65 * mebibyte))
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'result_too_large' } } })
    expect(textOf(answer)).toMatch(/has 6815\d+ bytes, and one message holds 4194304/)
  })
})

describe('structured content', () => {
  const value = (bytes: number) => ({ text: 'é'.repeat(bytes / 2) })

  test('stays when it fits: only its text goes', async () => {
    const small = value(3 * mebibyte)
    const { link, answer } = await returning(small)
    expect(answer.structuredContent).toEqual(small)
    const links = linksOf(answer.content)
    expect(links[0]?.mimeType).toBe('application/json')
    expect(JSON.parse(await readAll(link, links))).toEqual(small)
  })

  test('goes when it does not, and nobody was promised it: once, not twice', async () => {
    const large = value(5 * mebibyte)
    const { link, answer } = await returning(large)
    expect(answer).not.toHaveProperty('structuredContent')
    expect(JSON.parse(await readAll(link, linksOf(answer.content)))).toEqual(large)
  })

  test('goes beside content of its own, which stays', async () => {
    const large = value(5 * mebibyte)
    const { link, answer } = await returning(result({ value: large, content: text('a lot') }))
    expect(answer.content[1]).toEqual(text('a lot'))
    const links = linksOf(answer.content)
    expect(links[0]).toMatchObject({ name: 'structuredContent, part 1 of 6', mimeType: 'application/json' })
    expect(JSON.parse(await readAll(link, links))).toEqual(large)
  })

  test('that an output schema promises is an error which carries the links', async () => {
    const large = value(5 * mebibyte)
    const output = z.object({ text: z.string() })
    const link = await connect(newWorker().tool('act', { description: 'Acts', input, output }, () => large))
    const answer = await link.callTool('act')
    expect(answer).toMatchObject({ isError: true, _meta: { 'callboard/error': { code: 'result_too_large' } } })
    expect(answer).not.toHaveProperty('structuredContent')
    expect(textOf(answer)).toMatch('has done its work')
    expect(JSON.parse(await readAll(link, linksOf(answer.content)))).toEqual(large)
  })

  test("is so in a worker's own shape of errors too", async () => {
    const formatError = () => ({ content: [text('mine')], isError: true })
    const worker = defineWorker({ service: 'large', version: '1.0.0', formatError })
    const output = z.object({ text: z.string() })
    const link = await connect(worker.tool('act', { description: 'x', input, output }, () => value(5 * mebibyte)))
    const { content } = await link.callTool('act')
    expect(content[0]).toEqual(text('mine'))
    expect(linksOf(content)).toHaveLength(6)
  })
})

describe('who may read', () => {
  const spilling = () => newWorker().tool('act', { description: 'Acts', input }, () => 'x'.repeat(5 * mebibyte))
  const firstUri = async (link: TestLink, options?: Parameters<TestLink['callTool']>[2]) =>
    linksOf((await link.callTool('act', {}, options)).content)[0]!.uri

  test('is whoever called, in any session and after a reconnect [CB-103]', async () => {
    const link = await connect(spilling())
    const uri = await firstUri(link, { principal: 'agent:ada', session: 'one' })
    await link.reconnect()
    expect(await link.readResource(uri, { principal: 'agent:ada', session: 'two' })).toMatchObject([{ uri }])
  })

  test('is the one at the root, when a worker called for it [CB-103]', async () => {
    const link = await connect(spilling())
    const uri = await firstUri(link, { principal: 'worker:scheduler', onBehalfOf: 'agent:ada', depth: 1 })
    expect(await link.readResource(uri, { principal: 'agent:ada' })).toMatchObject([{ uri }])
    await expect(link.readResource(uri, { principal: 'worker:scheduler' })).rejects.toThrow('Resource not found')
  })

  test('is nobody else, who is told what is told of an id that never was [CB-103]', async () => {
    const link = await connect(spilling())
    const uri = await firstUri(link, { principal: 'agent:ada' })
    const never = uri.replace(/[^/]+\/0$/, 'AAAAAAAAAAAAAAAAAAAAAAAA/0')
    const refusal = (asked: string) => ({
      code: -32_602,
      message: `Resource not found: ${asked}`,
      data: { uri: asked },
    })
    await expect(link.readResource(uri, { principal: 'agent:eve' })).rejects.toMatchObject(refusal(uri))
    await expect(link.readResource(never, { principal: 'agent:ada' })).rejects.toMatchObject(refusal(never))
  })

  test('is nobody when the time is over', async () => {
    let now = 1_800_000_000_000
    const link = await connect(spilling(), { now: () => now, heartbeatMs: 60_000 })
    const uri = await firstUri(link)
    now += keptMs
    await expect(link.readResource(uri, { timeoutMs: 3_600_000 })).rejects.toThrow('Resource not found')
  })
})

describe('context.keep', () => {
  const acting = (act: (context: Context) => unknown) =>
    newWorker().tool('act', { description: 'Acts', input }, (_, context) => act(context))

  test('gives links of what the author wants read apart, whatever its size', async () => {
    const buffer = Buffer.from('a report')
    const worker = acting(({ keep }) => {
      const links = [...keep(buffer, { name: 'report.pdf', mimeType: 'application/pdf' }), ...keep('é', { name: 'e' })]
      buffer.fill(0)
      return links
    })
    const link = await connect(worker)
    const { content } = await link.callTool('act')
    expect(content).toMatchObject([
      { name: 'report.pdf', mimeType: 'application/pdf', size: 8 },
      { name: 'e', mimeType: 'text/plain', size: 2 },
    ])
    expect(await readAll(link, linksOf(content))).toBe(`${Buffer.from('a report').toString('base64')}é`)
  })

  test('refuses what is too large', async () => {
    const link = await connect(acting(({ keep }) => keep(new Uint8Array(65 * mebibyte), { name: 'disk.img' })))
    expect(await link.callTool('act')).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'result_too_large' } },
    })
  })
})

test("the SDK's own URIs can't be defined", () => {
  const read = () => []
  expect(() => newWorker().resource('callboard-result://large/x', { name: 'x' }, read)).toThrow(TypeError)
  expect(() => newWorker().resourceTemplate('Callboard-Result://{x}', { name: 'x' }, read)).toThrow(TypeError)
})
