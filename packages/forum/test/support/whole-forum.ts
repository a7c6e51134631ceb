import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { quiet, traffic } from '@callboard/testkit'
import { defineWorker } from '@callboard/worker'
import { connectForTest, type TestCallOptions, type TestLink, VirtualClock } from '@callboard/worker/testing'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { forumService } from '../../src/create-forum-worker.js'
import { type Forum, openForum } from '../../src/open-forum.js'

traffic.watch()

export const ada: TestCallOptions = { session: 'session-ada', principal: 'agent:ada' }
export const bob: TestCallOptions = { session: 'session-bob', principal: 'agent:bob' }

// biome-ignore lint/suspicious/noExplicitAny: each test knows what its tool answers; the schema has been checked.
export type Answer = any

export interface WholeForumOptions {
  /** Section `forum`. */
  readonly config?: object
  readonly clock?: VirtualClock
  /** Of another one, whose replica this is. */
  readonly dataDirectory?: string
  readonly logLevel?: string
}

/** All parts of the worker, with its tools behind a hub. Outside of it are only the time, chance, and the forums it talks to. */
export async function openWholeForum(options: WholeForumOptions = {}): Promise<WholeForum> {
  const dataDirectory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), 'callboard-forum-')))
  const whole = new WholeForum(dataDirectory, options)
  await whole.open()
  return whole
}

export class WholeForum implements AsyncDisposable {
  readonly clock: VirtualClock
  readonly dataDirectory: string
  link!: TestLink
  /** Requests that a test leaves without an answer: nobody waits for them. */
  held = 0
  readonly #options: WholeForumOptions
  #forum!: Forum

  constructor(dataDirectory: string, options: WholeForumOptions) {
    this.dataDirectory = dataDirectory
    this.clock = options.clock ?? new VirtualClock()
    this.#options = options
  }

  async open(): Promise<void> {
    const worker = defineWorker({ ...forumService, version: '1.2.3' })
    const { config, logLevel = 'silent' } = this.#options
    const { dataDirectory, clock } = this
    const options = { dataDirectory, config: { log_level: logLevel, ...config }, variables: {} }
    this.#forum = await openForum(worker, options, { clock, random: () => 0 })
    this.link = await connectForTest(worker, { now: clock.now })
  }

  /** Ends the worker and leaves its data. */
  async stop(): Promise<void> {
    await this.link.close()
    await this.#forum.close()
  }

  /** As after the end of its process. */
  async restart(): Promise<void> {
    await this.stop()
    await this.open()
  }

  /** What a call answers that succeeds, checked as clients check it. */
  async ask(tool: string, args: object = {}, who: TestCallOptions = ada): Promise<Answer> {
    const { structuredContent, isError = false, content } = await this.link.callTool(tool, args as never, who)
    const [block] = content
    if (block?.type !== 'text' || content.length !== 1) throw new Error(`${tool}: not one text`)
    if (isError) throw new Error(`${tool}: ${block.text}`)
    if (!isDeepStrictEqual(JSON.parse(block.text), structuredContent)) throw new Error(`${tool}: not the same as text`)
    this.#check(tool, structuredContent, who)
    return structuredContent
  }

  /** The error object of a call that fails. */
  async refusal(tool: string, args: object = {}, who: TestCallOptions = ada): Promise<Answer> {
    const { structuredContent, isError, content, _meta } = await this.link.callTool(tool, args as never, who)
    const [block] = content
    if (block?.type !== 'text' || content.length !== 1) throw new Error(`${tool}: not one text`)
    if (isError !== true) throw new Error(`${tool} did not fail: ${block.text}`)
    if (structuredContent !== undefined) throw new Error(`${tool}: a failure has no structured content`)
    const error = JSON.parse(block.text)
    const routing = _meta?.['callboard/error'] as { code: string; message: string } | undefined
    if (typeof error.error !== 'string' || routing?.code !== error.code || routing?.message !== error.error)
      throw new Error(`${tool}: ${block.text} does not fit ${JSON.stringify(routing)}`)
    return error
  }

  /** The document of a resource. */
  async read(uri: string, who: TestCallOptions = ada): Promise<Answer> {
    const [contents] = await this.link.readResource(uri, who)
    if (contents === undefined || !('text' in contents)) throw new Error(`${uri}: no text`)
    if (contents.mimeType !== 'application/json') throw new Error(`${uri}: ${contents.mimeType}`)
    return JSON.parse(contents.text as string)
  }

  select(site: string, who: TestCallOptions = ada): Promise<Answer> {
    return this.ask('discourse_select_site', { site }, who)
  }

  /** Names of the tools that a session sees. */
  toolsOf({ session = 'session-1' }: TestCallOptions = ada): readonly string[] {
    return this.link.toolsOf(session).map(({ name }) => name)
  }

  /** Time passes, and everybody who waits for some of it is woken in turn. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms
    for (;;) {
      await this.settle()
      const next = this.clock.nextWake
      if (next === undefined || next > end) break
      this.clock.advance(next - this.clock.now())
    }
    this.clock.advance(end - this.clock.now())
    await this.settle()
  }

  settle(): Promise<void> {
    return quiet(this.held)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    if (this.#options.dataDirectory === undefined) await rm(this.dataDirectory, { recursive: true, force: true })
  }

  #check(tool: string, answer: unknown, { session = 'session-1' }: TestCallOptions): void {
    const definition =
      this.link.toolsOf(session).find(({ name }) => name === tool) ??
      this.link.definitions.tools?.find(({ name }) => name === tool)
    if (definition?.outputSchema === undefined) throw new Error(`${tool}: no outputSchema`)
    const { valid, errorMessage } = validator.getValidator(definition.outputSchema as never)(answer)
    if (!valid) throw new Error(`${tool}: ${errorMessage} in ${JSON.stringify(answer)}`)
  }
}

const validator = new AjvJsonSchemaValidator()
