import type { Store } from '@callboard/store'
import type { TestLocation } from '@callboard/store/testing'
import { quiet, traffic } from '@callboard/testkit'
import { VirtualClock } from '@callboard/worker/testing'
import type { ForumConfig } from '../../src/config/forum-config.js'
import { type ForumServer, type ForumServerOptions, startForumServer } from '../../src/demo/index.js'
import { ForumFailure } from '../../src/failure/forum-failure.js'
import type { Credential } from '../../src/http/credential.js'
import { SiteClients } from '../../src/http/site-clients.js'
import { callMs } from '../../src/limits.js'
import type { ForumSchema } from '../../src/records/schema.js'
import type { Selection } from '../../src/sites/selection.js'
import type { ForumTool } from '../../src/tools/forum-tool.js'
import { outputOfWrite, Writer } from '../../src/writes/run-write.js'
import { keyCredential, testCall } from './test-call.js'
import { openTestStore, silentLog, temporaryLocation } from './test-store.js'

traffic.watch()

// biome-ignore lint/suspicious/noExplicitAny: each test knows what its tool answers; the schema has been checked.
export type Answer = any

export interface WriteOptions {
  /** Default: the admin key, as ada. */
  readonly credential?: Credential
  readonly signal?: AbortSignal
  /** How long the caller waits, ms. */
  readonly within?: number
  /** As an agent gives it beside the arguments. */
  readonly key?: string
  readonly selection?: Partial<Selection>
  /** Default: the first one of the rig. */
  readonly writer?: Writer
}

const config = { concurrency: 4, timeoutMs: 15_000, userAgent: 'Callboard test' } as ForumConfig

/** A forum, a database and what writes there, all but the hub; the time is virtual. */
export async function openWriteRig(options: ForumServerOptions = {}): Promise<WriteRig> {
  const clock = new VirtualClock()
  const server = await startForumServer({ clock, village: false, ...options })
  for (const username of ['ada', 'bob']) server.forum.addUser(username)
  const rig = new WriteRig(clock, server, await temporaryLocation())
  rig.writer = await rig.replica()
  return rig
}

export class WriteRig implements AsyncDisposable {
  readonly clock: VirtualClock
  readonly server: ForumServer
  readonly location: TestLocation & AsyncDisposable
  readonly admin: Credential
  writer!: Writer
  readonly #clients: SiteClients
  readonly #stores = new Map<Writer, Store<ForumSchema>>()
  /** Requests that a test leaves without an answer. */
  held = 0

  constructor(clock: VirtualClock, server: ForumServer, location: TestLocation & AsyncDisposable) {
    this.clock = clock
    this.server = server
    this.location = location
    this.#clients = new SiteClients({ config, clock, random: () => 0, log: silentLog })
    this.admin = keyCredential(server.keys.adminAs('ada'))
  }

  /** Another process over the same database. */
  async replica(): Promise<Writer> {
    const store = await openTestStore(this.location)
    const writer = new Writer({ store, clock: this.clock, log: silentLog })
    this.#stores.set(writer, store)
    return writer
  }

  /** From now on that process writes nothing down. */
  async kill(writer: Writer): Promise<void> {
    await this.#stores.get(writer)!.close()
  }

  /** What a tool answers, checked by its schema; time passes until it does. */
  async write(tool: ForumTool, args: object, options: WriteOptions = {}): Promise<Answer> {
    const answer = this.begin(tool, args, options)
    let isOver = false
    const over = () => {
      isOver = true
    }
    answer.then(over, over)
    for (;;) {
      await quiet(this.held)
      if (isOver) return answer
      if (this.clock.nextWake !== undefined) this.clock.advance(this.clock.nextWake - this.clock.now())
    }
  }

  /** The failure of one that fails. */
  async refusal(tool: ForumTool, args: object, options: WriteOptions = {}): Promise<ForumFailure> {
    return failureOf(this.write(tool, args, options))
  }

  /** The same as `write`, and no time passes. */
  async begin(tool: ForumTool, args: object, options: WriteOptions = {}): Promise<Answer> {
    if (tool.kind !== 'write') throw new Error(`${tool.name} does not write`)
    const { credential = this.admin, within = callMs, writer = this.writer, key, signal, selection = {} } = options
    const call = testCall(this.server.base, {
      credential,
      client: this.#clients.for(this.server.base, credential),
      deadline: this.clock.now() + within,
      selection: { version: this.server.setting.version, ...selection },
      ...(signal !== undefined && { signal }),
    })
    const context = { ...call.context, ...(key !== undefined && { idempotencyKey: key }) }
    const answer = await writer.run(tool, tool.input.strict().parse(args), { ...call, context })
    return outputOfWrite(tool.output).strict().parse(answer)
  }

  /** Time passes, and everybody who waits for some of it is woken in turn. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms
    for (;;) {
      await quiet(this.held)
      const next = this.clock.nextWake
      if (next === undefined || next > end) break
      this.clock.advance(next - this.clock.now())
    }
    this.clock.advance(end - this.clock.now())
    await quiet(this.held)
  }

  /** When requests like that came, in ms from a time. */
  times(expression: RegExp, start: number): readonly number[] {
    return this.server.seen(expression).map(({ at }) => at - start)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close()
    await Promise.all([...this.#stores.values()].map((store) => store.close()))
    await this.location[Symbol.asyncDispose]()
  }
}

export async function failureOf(answer: Promise<unknown>): Promise<ForumFailure> {
  try {
    throw new Error(`it did not fail: ${JSON.stringify(await answer)}`)
  } catch (error) {
    if (error instanceof ForumFailure) return error
    throw error
  }
}
