import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openStore, type Store } from '@callboard/store'
import { quiet, traffic } from '@callboard/testkit'
import { defineWorker } from '@callboard/worker'
import { connectForTest, type TestCallOptions, type TestLink, VirtualClock } from '@callboard/worker/testing'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { Envelope } from '../../src/envelope/envelope.js'
import { openSocial, type Social } from '../../src/open-social.js'
import { migrations } from '../../src/records/migrations.js'
import type { SocialSchema } from '../../src/records/schema.js'
import { ada, operator } from './call-tool.js'
import { seeded } from './test-foundation.js'

traffic.watch()

// biome-ignore lint/suspicious/noExplicitAny: each test knows what its tool answers; the schema has been checked.
export type Answer = Envelope & { readonly data: any }

export interface WholeWorkerOptions {
  /** Section `social`. */
  readonly config?: object
  /** Of the services, too. */
  readonly clock?: VirtualClock
  /** Of all chance. */
  readonly seed?: number
}

/** In memory where that can be had: every loop writes, and every write waits for the disk, all of a virtual week. */
const placeOfData = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** All parts of the worker, with its tools behind a hub. Outside of it are only the time, chance, and the servers it talks to. */
export async function openWholeWorker(options: WholeWorkerOptions = {}): Promise<WholeWorker> {
  const dataDirectory = await mkdtemp(join(placeOfData, 'callboard-social-whole-'))
  const whole = new WholeWorker(dataDirectory, options)
  await whole.open()
  return whole
}

export class WholeWorker implements AsyncDisposable {
  readonly clock: VirtualClock
  readonly dataDirectory: string
  social!: Social
  link!: TestLink
  /** Another look at the same database. */
  store!: Store<SocialSchema>
  /** Requests that a test leaves without an answer: nobody waits for them. */
  held = 0
  readonly #random: () => number
  #config: object
  #openings = 0

  constructor(dataDirectory: string, { config = {}, clock = new VirtualClock(), seed = 1 }: WholeWorkerOptions) {
    this.dataDirectory = dataDirectory
    this.clock = clock
    this.#config = config
    this.#random = seeded(seed)
  }

  async open(): Promise<void> {
    const worker = defineWorker({ service: 'social', version: '1.2.3', holdUntil: () => this.social.holdUntil })
    const variables = { CALLBOARD_LOG_LEVEL: process.env['CALLBOARD_LOG_LEVEL'] ?? 'silent' }
    const { dataDirectory, clock } = this
    this.social = await openSocial(
      worker,
      { dataDirectory, config: this.#config, variables },
      { clock, random: this.#random },
    )
    this.store = await openStore({ name: 'social', migrations, dataDirectory, access: 'shared', durability: 'normal' })
    await this.social.start()
    this.link = await connectForTest(worker)
    // The ids of a hub's calls never come again, also after a restart of the worker.
    this.#openings += 1
    for (let time = 1; time < this.#openings; time += 1) await this.link.reconnect({ sessions: [] })
    await this.settle()
  }

  /** Ends the worker and leaves its data. */
  async stop(): Promise<void> {
    await this.link.close()
    await this.social.close()
    await this.store.close()
  }

  /** As after the end of its process; with another configuration, if one is given. */
  async restart(config: object = this.#config): Promise<void> {
    await this.stop()
    this.#config = config
    await this.open()
  }

  /** One call, whose reply is checked as clients check it; `success` tells whether it was refused. */
  async call(tool: string, args: object = {}, who: TestCallOptions = ada): Promise<Answer> {
    const { structuredContent, isError = false, content } = await this.link.callTool(tool, args as never, who)
    const answer = structuredContent as Answer
    this.#check(tool, answer)
    if (isError === answer.success) throw new Error(`${tool}: isError does not fit ${JSON.stringify(answer)}`)
    const [block] = content
    const isSame = block?.type === 'text' && isDeepStrictEqual(JSON.parse(block.text), answer)
    if (!isSame || content.length !== 1) throw new Error(`${tool}: not the same as text`)
    await this.settle()
    return answer
  }

  /** The data of a call that is not refused. */
  async ask(tool: string, args: object = {}, who: TestCallOptions = ada): Promise<Answer['data']> {
    const { success, data, error } = await this.call(tool, args, who)
    if (!success) throw new Error(`${tool}: ${JSON.stringify(error)}`)
    return data
  }

  /** The code of a call that is refused. */
  async refusal(tool: string, args: object = {}, who: TestCallOptions = ada): Promise<string> {
    const { success, error, data } = await this.call(tool, args, who)
    if (success || error === undefined) throw new Error(`${tool} was not refused: ${JSON.stringify(data)}`)
    return error.code
  }

  /** Proposed by an agent. */
  async proposed(args: object): Promise<number> {
    return (await this.ask('propose_post', { kind: 'tweet', ...args })).id
  }

  /** Approved by a person, as that person saw it. */
  async approve(id: number): Promise<void> {
    const { rev, content_hash } = await this.item(id)
    await this.ask('approve_item', { id, rev, content_hash }, operator)
  }

  /** Proposed by an agent, and approved by a person. */
  async approved(args: object): Promise<number> {
    const id = await this.proposed(args)
    await this.approve(id)
    return id
  }

  item(id: number): Promise<Answer['data']> {
    return this.ask('get_item', { id }, operator)
  }

  async status(id: number): Promise<string> {
    return (await this.item(id)).status
  }

  /** Time passes, and everybody who waits for some of it is woken in turn; with a step, on a machine that is that slow. */
  async pass(ms: number, stepMs = 0): Promise<void> {
    const end = this.clock.now() + ms
    for (;;) {
      await this.settle()
      const next = this.clock.nextWake
      if (next === undefined || next > end) break
      const now = this.clock.now()
      this.clock.advance(Math.min(Math.max(next - now, stepMs), end - now))
    }
    this.clock.advance(end - this.clock.now())
    await this.settle()
  }

  settle(): Promise<void> {
    return quiet(this.held)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await rm(this.dataDirectory, { recursive: true, force: true })
  }

  #check(tool: string, answer: Answer): void {
    const schema = this.link.definitions.tools?.find(({ name }) => name === tool)?.outputSchema
    if (schema === undefined) throw new Error(`${tool}: no outputSchema`)
    const { valid, errorMessage } = validator.getValidator(schema as never)(answer)
    if (!valid) throw new Error(`${tool}: ${errorMessage} in ${JSON.stringify(answer)}`)
  }
}

const validator = new AjvJsonSchemaValidator()

export const business = {
  product_name: 'Gardener',
  product_description: 'a server that waters plants',
  target_audience: 'people with gardens',
  product_keywords: ['tomatoes', 'watering', 'compost'],
  industry_topics: ['self-hosting'],
}
