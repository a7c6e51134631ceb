import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bodyBytesMax } from '@callboard/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, httpAgent, lineAgent, type RawAgent } from './raw-agent.js'

/**
 * What arguments and results may hold: through a hub and workers in processes of their own, with every byte of the params
 * written by the test, in both generations, by line and by HTTP.
 */

const processFile = (name: string) => fileURLToPath(new URL(`processes/${name}`, import.meta.url))
const children = new Map<number, ChildProcess>()
const ways = ['lines, legacy', 'lines, modern', 'HTTP, legacy', 'HTTP, modern'] as const
const agents = new Map<string, RawAgent>()
let directory = ''

async function start(name: string, until: string, ...args: string[]): Promise<ChildProcess> {
  const child = fork(processFile(name), args)
  children.set(child.pid!, child)
  for await (const [message] of on(child, 'message', { signal: AbortSignal.timeout(20_000) }))
    if (message === until) break
  return child
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

beforeAll(async () => {
  const port = await freePort()
  directory = await mkdtemp(join(tmpdir(), 'callboard-test-'))
  const [runtime, data] = [join(directory, 'run'), join(directory, 'data')]
  await start('hub.mjs', 'hub is up', runtime, data, `127.0.0.1:${port}`)
  await Promise.all([1, 2].map(() => start('payload-worker.mjs', 'ready', `ipc://${runtime}/worker.sock`)))
  const url = `http://127.0.0.1:${port}/mcp`
  agents.set('lines, legacy', await lineAgent(`${runtime}/mcp.sock`, false))
  agents.set('lines, modern', await lineAgent(`${runtime}/mcp.sock`, true))
  agents.set('HTTP, legacy', await httpAgent(url, false))
  agents.set('HTTP, modern', await httpAgent(url, true))
})

afterAll(async () => {
  for (const agent of agents.values()) agent.close()
  for (const child of children.values()) child.kill('SIGKILL')
  await rm(directory, { recursive: true, force: true })
})

interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly text: string; readonly uri: string }[]
  readonly structuredContent?: { readonly [key: string]: unknown }
  readonly isError?: boolean
}

const call = (way: string, name: string, args: string | Buffer) =>
  agents
    .get(way)!
    .ask('tools/call', name, Buffer.concat([Buffer.from(`"name":"${name}","arguments":`), Buffer.from(args)]))
const resultOf = ({ answer }: { readonly answer: Answer }) => answer.result as unknown as ToolAnswer
const read = (way: string, uri: string) => agents.get(way)!.ask('resources/read', uri, `"uri":"${uri}"`)

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe.each(ways)('%s', (way) => {
  describe('JSON in arguments comes back in the result as it was', () => {
    it.each([
      ['halves of characters', '{"v":["\\ud800","\\udc00","a\\ud83dz"]}'],
      ['whole characters of two halves', '{"v":["\\ud83d\\ude00","😀","🏳️‍🌈","e\\u0301"]}'],
      ['line separators that JavaScript once minded', '{"v":"\u2028\u2029","w":"\\u2028"}'],
      ['NUL and the other control characters', '{"v":"\\u0000\\u0001\\u001f\\u007f\\u0085\\n\\r\\t"}'],
      ['a byte order mark in the middle', '{"v":"\ufeffa","\ufeff":1}'],
      ['what ends a script, a line or a tag', '{"v":"</script>\\\\n\\"]]>","w":"%s{x}"}'],
      ['names of prototypes', '{"v":{"constructor":{"prototype":{"polluted":1}},"hasOwnProperty":1,"valueOf":null}}'],
      ['a prototype', '{"v":{"__proto__":{"polluted":1},"a":1}}'],
      ['names that make objects special', '{"v":{"toJSON":"x","then":"y","length":-1,"toString":1}}'],
      ['nothing at all', '{}'],
      ['empty things', '{"":"","a":{},"b":[],"c":null,"d":[[],{}],"e":{"":{"":""}}}'],
      ['names that are numbers', '{"v":{"2":"b","1":"a","-1":"c","1e3":"d"}}'],
      ['numbers at the edge', '{"v":[9007199254740991,-9007199254740991,0,0.1,5e-324,1.7976931348623157e308]}'],
      ['very many small items', `{"v":[${'{"a":""},'.repeat(50_000)}0]}`],
      ['as many levels as are taken', `{"v":${deep(110)}}`],
    ])('%s', async (_, args) => {
      const { structuredContent } = resultOf(await call(way, 'echo', args))
      const sent = JSON.parse(args)
      // Compared as text: `__proto__` is a member like any other then.
      expect(JSON.stringify(structuredContent)).toBe(JSON.stringify(sent))
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    })
  })

  describe('what JSON can say and JavaScript can not', () => {
    it.each([
      ['numbers beyond 2^53 are rounded: ids belong into strings', '9007199254740993', '9007199254740992'],
      ['digits beyond a double are rounded', '0.1000000000000000055511151231257827', '0.1'],
      ['numbers beyond every double are nothing', '1e400', 'null'],
      ['minus zero is zero', '-0', '0'],
      ['of a name that occurs twice the last counts', '1,"v":2', '2'],
      ['a prototype of the arguments themselves is left out', '1,"__proto__":{"polluted":1}', '1'],
    ])('%s', async (_, said, heard) => {
      const { text } = await call(way, 'echo', `{"v":${said}}`)
      expect(text).toContain(`"structuredContent":{"v":${heard}}`)
    })
  })

  describe('is refused, and the next call is served:', () => {
    const invalid = (bytes: string) =>
      Buffer.concat([Buffer.from('{"v":"'), Buffer.from(bytes, 'hex'), Buffer.from('"}')])
    it.each([
      ['a byte that is no UTF-8', invalid('ff')],
      ['an overlong form', invalid('c080')],
      ['half of a character as bytes', invalid('eda080')],
      ['a character cut short', invalid('e282')],
      ['too many levels', `{"v":${deep(200)}}`],
      ['a list for arguments', '[]'],
    ])('%s', async (_, args) => {
      const { answer } = await call(way, 'echo', args)
      expect(answer.error?.code).toSatisfy((code) => [-32_700, -32_600, -32_602].includes(code as number))
      expect(resultOf(await call(way, 'echo', '{"v":1}')).structuredContent).toEqual({ v: 1 })
    })
  })

  describe('a result', () => {
    const units = [
      ['plain', '"x"'],
      ['quotes', '"\\""'],
      ['control characters', '"\\u0001"'],
      ['characters of four bytes', '"😀"'],
    ] as const
    const fill = async (bytes: number, unit: string) =>
      resultOf(await call(way, 'fill', `{"bytes":${bytes},"unit":${unit}}`)).content

    it.each(units)('of exactly one message passes inline: %s', async (_, unit) => {
      const content = await fill(bodyBytesMax, unit)
      expect(content.map(({ type }) => type)).toEqual(['text'])
      expect(bytesOf({ content })).toBe(bodyBytesMax)
    })

    it.each(units)('of one byte more is read by its links, whole: %s', async (_, unit) => {
      const content = await fill(bodyBytesMax + 1, unit)
      expect(bytesOf(content)).toBeLessThan(64 * 1024)
      const text = (await readParts(way, content)).join('')
      expect(bytesOf({ content: [{ type: 'text', text }] })).toBe(bodyBytesMax + 1)
    })
  })
})

it.each(ways)('a picture beyond one message is read by its links, byte for byte: %s', async (way) => {
  const bytes = 7_000_000
  const { content } = resultOf(await call(way, 'picture', `{"bytes":${bytes}}`))
  expect(content.map(({ type }) => type)).toEqual(['text', 'text', ...new Array(3).fill('resource_link')])
  const parts = await Promise.all(content.slice(2).map(({ uri }) => read(way, uri)))
  const blobs = parts.map(({ answer }) => (answer.result as { contents: { blob: string }[] }).contents[0]!.blob)
  const expected = Buffer.alloc(bytes, 'pixel')
  expect(Buffer.concat(blobs.map((blob) => Buffer.from(blob, 'base64'))).equals(expected)).toBe(true)
  expect(blobs.join('') === expected.toString('base64')).toBe(true)
})

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

async function readParts(way: string, content: ToolAnswer['content']): Promise<string[]> {
  const parts: string[] = []
  for (const { type, uri } of content) {
    if (type !== 'resource_link') continue
    const { contents } = resultOf(await read(way, uri)) as unknown as { contents: readonly { readonly text: string }[] }
    parts.push(contents[0]!.text)
  }
  return parts
}

describe.each(ways)('arguments by %s', (way) => {
  const sent = (length: number) => call(way, 'size', `{"v":"${'x'.repeat(length)}"}`)
  const measured = async (length: number) => {
    const answered = await sent(length)
    return answered.answer.error?.message ?? resultOf(answered).content[0]?.text
  }

  it('pass up to exactly one message; one byte more is refused with both sizes', async () => {
    const message = await measured(bodyBytesMax)
    const sizes = /they have (\d+) bytes as JSON, and 4194304 is the most/.exec(String(message))
    const most = bodyBytesMax - (Number(sizes?.[1]) - bodyBytesMax)
    expect(await measured(most)).toBe(String(most + '{"v":""}'.length))
    expect(await measured(most + 1)).toMatch(/they have 4194305 bytes/)
  })

  it('of a message beyond every bound are refused, and the next call is served', async () => {
    const { status, answer } = await sent(11 * 1024 * 1024)
    const isHttp = way.startsWith('HTTP')
    expect(status).toBe(isHttp ? 413 : undefined)
    expect(answer.error?.message).toMatch(
      isHttp ? /^The body is larger than 4259840 bytes$/ : /^The message is too long$/,
    )
    expect(await measured(1)).toBe('9')
  })
})

describe('a kept result', () => {
  it.each(ways)('is read from the replica that has it, and ends with it: %s', async (way) => {
    const kept = []
    for (let count = 0; count < 2; count++) {
      kept.push(resultOf(await call(way, 'fill', `{"bytes":${bodyBytesMax + 1},"unit":"x"}`)).content)
    }
    const firsts = await Promise.all(kept.map(async (content) => (await readParts(way, content.slice(0, 2)))[0]!))
    const keepers = firsts.map((part) => Number(part.split(':')[0]))
    expect(new Set(keepers).size).toBe(2)

    const gone = children.get(keepers[0]!)!
    gone.kill('SIGKILL')
    await once(gone, 'exit')
    const uri = kept[0]![1]!.uri
    const { answer } = await read(way, uri)
    expect(answer).toMatchObject({ error: { code: -32_602, data: { uri } } })
    expect((await readParts(way, kept[1]!.slice(0, 2)))[0]).toBe(firsts[1])
    await start('payload-worker.mjs', 'ready', `ipc://${join(directory, 'run')}/worker.sock`)
  })
})

it('a kept result is for its principal, on every connection, and for nobody else', async () => {
  const { content } = resultOf(await call('lines, legacy', 'fill', `{"bytes":${bodyBytesMax + 1},"unit":"x"}`))
  const uri = content[1]!.uri
  expect((await read('lines, modern', uri)).answer.result).toBeDefined()
  // Without a token HTTP is another principal.
  for (const way of ['HTTP, legacy', 'HTTP, modern']) {
    expect((await read(way, uri)).answer.error).toMatchObject({ code: -32_602, data: { uri } })
  }
})

it("an id that is no safe integer is refused, for its answer could not be told from another one's", async () => {
  const { error } = await agents
    .get('lines, legacy')!
    .say('{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}')
  expect(error).toMatchObject({ code: -32_600, message: expect.stringContaining('safe integer') })
})
