import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '@callboard/store'
import { CallFailure, defineWorker } from '@callboard/worker'
import {
  connectForTest,
  type NestedCallStub,
  type TestCallOptions,
  type TestLink,
  VirtualClock,
} from '@callboard/worker/testing'
import { openScheduler, type Scheduler, type SchedulerOptions } from '../../src/open-scheduler.js'
import { migrations } from '../../src/records/migrations.js'
import type { SchedulerSchema } from '../../src/records/schema.js'
import type { RunRequest } from '../../src/runners/runner.js'
import { settle, TestRunner } from './engine-rig.js'
import { FakeTransport } from './fake-transport.js'

export type Fields = Readonly<Record<string, unknown>>

export interface Answer {
  /** The reply, or the error. */
  readonly value: Fields
  readonly isError: boolean
  /** Undefined for errors: clients check it against the schema of the reply. */
  readonly structured: unknown
}

export interface WholeWorkerOptions {
  /** Section `scheduler`, beside mail. */
  readonly config?: Fields
  readonly groups?: readonly Fields[]
  readonly clock?: VirtualClock
  /** What every agent does at once; absent: it works until the test ends it. */
  readonly answer?: TestRunner['answer']
  /** Of other workers, by name. */
  readonly tools?: { readonly [name: string]: NestedCallStub }
  /** Another one's data: it is left there at the end. */
  readonly dataDirectory?: string
}

/** Mail goes to a fake server; triggers are handed over in the database. */
const mailConfig = {
  smtp_url: 'smtp://127.0.0.1:1',
  mail_address: 'callboard@example.org',
  notification_email: 'ada@example.org',
  trigger_transport: 'internal',
}

const runner = { kind: 'command', argv: ['agent'] }
const threeGroups = [
  { folder: 'main', tag: 'main', name: 'Main', admin: true, runner },
  { folder: 'lab', tag: 'science', name: 'Lab', runner },
  { folder: 'press', tag: 'press', name: 'Press', runner },
]

/** All parts of the worker, with its tools behind a hub. Outside of it are only the time, the agents, and the mail server. */
export async function openWholeWorker(options: WholeWorkerOptions = {}): Promise<WholeWorker> {
  const dataDirectory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), 'callboard-whole-')))
  const whole = new WholeWorker(dataDirectory, options)
  await whole.open()
  return whole
}

export class WholeWorker implements AsyncDisposable {
  readonly clock: VirtualClock
  readonly agents = new TestRunner()
  readonly transport = new FakeMailServer()
  readonly dataDirectory: string
  scheduler!: Scheduler
  link!: TestLink
  store!: Store<SchedulerSchema>
  readonly #options: WholeWorkerOptions
  /** By token: what the hub knows of a run. */
  readonly #grants = new Map<string, TestCallOptions>()

  constructor(dataDirectory: string, options: WholeWorkerOptions) {
    this.dataDirectory = dataDirectory
    this.#options = options
    this.clock = options.clock ?? new VirtualClock()
  }

  get groupsFile(): string {
    return join(this.dataDirectory, 'groups.json')
  }

  async open(): Promise<void> {
    const { config = {}, groups, tools = {} } = this.#options
    await this.writeGroups(groups ?? threeGroups)
    const worker = defineWorker({ service: 'scheduler', version: '1.2.3', holdUntil: () => this.scheduler?.holdUntil })
    const options: SchedulerOptions = {
      dataDirectory: this.dataDirectory,
      config: { ...mailConfig, groups_file: this.groupsFile, ...config },
      variables: { CALLBOARD_LOG_LEVEL: 'silent', TZ: 'Europe/Paris' },
    }
    const { clock, transport, agents } = this
    agents.answer = this.#options.answer
    this.scheduler = await openScheduler(worker, options, { clock, transport, runner: agents })
    this.store = await openStore({
      name: 'scheduler',
      migrations,
      dataDirectory: this.dataDirectory,
      access: 'shared',
      durability: 'normal',
    })
    await this.scheduler.start()
    this.link = await connectForTest(worker, {
      calls: { ...this.#hub(), ...tools },
      tools: Object.keys(tools).map(toolOf),
    })
    await settle()
  }

  /** The groups file as it is from the next reload on. */
  async writeGroups(groups: readonly Fields[]): Promise<void> {
    await writeFile(this.groupsFile, JSON.stringify({ groups }))
  }

  /** As an agent of that group, or as whoever the options say. */
  async call(caller: string | TestCallOptions, tool: string, args: Fields = {}): Promise<Answer> {
    const who = typeof caller === 'string' ? { group: caller, principal: `agent:${caller}` as const } : caller
    const { isError = false, structuredContent, _meta } = await this.link.callTool<Fields>(tool, args, who)
    await settle()
    const error = _meta?.['callboard/error'] as Fields | undefined
    return { value: error ?? structuredContent ?? {}, isError, structured: structuredContent }
  }

  /** The reply of a call that is not refused. */
  async ask(caller: string | TestCallOptions, tool: string, args: Fields = {}): Promise<Fields> {
    const { value, isError } = await this.call(caller, tool, args)
    if (isError) throw new Error(`${tool}: ${JSON.stringify(value)}`)
    return value
  }

  /** The caller that a run is when it calls back: nobody, once its token has been revoked. */
  asRun({ token }: RunRequest): TestCallOptions {
    const caller = this.#grants.get(token)
    if (caller === undefined) throw new CallFailure('unavailable', 'The hub knows no such token.', { retryable: false })
    return caller
  }

  holdsToken({ token }: RunRequest): boolean {
    return this.#grants.has(token)
  }

  /** Time passes, and everybody who waits for some of it is woken in turn. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms
    for (;;) {
      await settle()
      const next = this.clock.nextWake
      if (next === undefined || next > end) break
      this.clock.advance(next - this.clock.now())
    }
    this.clock.advance(end - this.clock.now())
    await settle()
  }

  /** Types of the activity log, oldest first. */
  async events(...types: readonly string[]): Promise<readonly string[]> {
    const rows = await this.store.db.selectFrom('activity').select('event_type').orderBy('id').execute()
    return rows.map(({ event_type }) => event_type).filter((type) => types.length === 0 || types.includes(type))
  }

  async runs(): Promise<readonly Fields[]> {
    return (await this.ask(operator, 'list_runs', { limit: 500 }))['runs'] as readonly Fields[]
  }

  /** Ends the worker and leaves its data. */
  async stop(): Promise<void> {
    const closing = this.link.close().then(() => this.scheduler.close())
    for (const run of [...this.agents.open]) run.finish()
    await settle()
    this.clock.advance(60_000)
    await closing
    await this.store.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    if (this.#options.dataDirectory === undefined) await rm(this.dataDirectory, { recursive: true, force: true })
  }

  #hub(): { readonly [name: string]: NestedCallStub } {
    let serial = 0
    return {
      'callboard/token.mint': (grant) => {
        const { agent, group, run } = grant as {
          agent: string
          group: string
          run: NonNullable<TestCallOptions['run']>
        }
        const token = String(grant['token'] ?? `token-${++serial}`)
        this.#grants.set(token, { principal: `agent:${agent}`, group, run })
        return { token }
      },
      'callboard/token.revoke': ({ token, run }) => {
        const revoked = run as { id: string; attempt: number } | undefined
        for (const [known, { run: granted }] of this.#grants) {
          const isRun = granted?.id === revoked?.id && granted?.attempt === revoked?.attempt
          if (known === token || (revoked !== undefined && isRun)) this.#grants.delete(known)
        }
        return {}
      },
    }
  }
}

export const operator: TestCallOptions = { principal: 'operator:root', roles: ['agent', 'operator'] }

export class FakeMailServer extends FakeTransport {
  readonly health = { configured: true, connected: true, lastOkAt: null, lastError: null }
  async check(): Promise<void> {}
  close(): void {}
}

const toolOf = (name: string) => ({ name, inputSchema: { type: 'object' as const } })
