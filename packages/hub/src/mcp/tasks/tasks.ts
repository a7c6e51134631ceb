import { randomUUID } from 'node:crypto'
import type { Client, LogLevel } from '@callboard/protocol'
import type { CallListeners, CallOutcome, Connection, HubPort, Identity } from '../../port.js'
import type { AgentRequest } from '../agent-request.js'
import { parseBody } from '../agent-result.js'
import {
  InputFailure,
  type InputRequests,
  missingCapability,
  parseInputRequests,
  unanswerable,
} from '../input-requests.js'
import { inputRoundsMax } from '../limits.js'
import type { Logger } from '../logger.js'
import { type FinalOutcome, ownerOf, type Task } from './task.js'
import { failure, messageOf } from './task-outcome.js'
import { TaskStore } from './task-store.js'
import { type Change, TaskWaiters } from './task-waiters.js'

/** Who asked for a task, for as long as it is there to hear of it. */
export interface TaskAudience {
  changed(task: Task): void
  /** UTF-8 JSON `{ progress, total?, message? }`. */
  progress(task: Task, body: Uint8Array): void
  /** UTF-8 JSON `{ logger?, data }`. */
  logged(task: Task, level: LogLevel, body: Uint8Array): void
}

export interface TaskCall {
  readonly identity: Identity
  readonly request: AgentRequest
  readonly client: Client
  /** As the agent asked for it. */
  readonly ttlMs?: number
  readonly audience: TaskAudience
}

/** What a task that is not over holds. */
interface LiveTask {
  readonly id: string
  readonly call: TaskCall
  /** Its own, so that it outlives the agent's. */
  readonly connection: Connection
  readonly abort: AbortController
  rounds: number
  /** Gives the call what it asked for, by the keys of the worker; undefined: it is to end. */
  reply?: (answers: Readonly<Record<string, unknown>> | undefined) => void
  /** Ends when somebody else asks the pending question, or it is no longer pending. */
  asker?: AbortController
}

export interface TasksOptions {
  readonly hub: HubPort
  readonly log: Logger
  /** UTC ms. */
  readonly now?: () => number
}

/**
 * Runs ordinary calls as tasks: each on a hub connection of its own, with its state in the {@link TaskStore}. Workers know
 * nothing of it. The agents' eras see tasks in their own ways, see `legacy-tasks.ts` and `modern-tasks.ts`.
 */
export class Tasks {
  readonly #hub: HubPort
  readonly #log: Logger
  readonly #now: () => number
  readonly #store: TaskStore
  readonly #live = new Map<string, LiveTask>()
  readonly #waiters = new TaskWaiters()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor({ hub, log, now = Date.now }: TasksOptions) {
    this.#hub = hub
    this.#log = log
    this.#now = now
    this.#store = new TaskStore({ now, nextId: randomUUID })
  }

  /** Undefined when there is no room for one more. */
  start(call: TaskCall): Task | undefined {
    const { body: _, ...request } = call.request
    const task = this.#closed ? undefined : this.#store.create(ownerOf(call.identity), request, call.ttlMs)
    if (task === undefined) return undefined
    const connection = this.#hub.open(call.identity, {
      listChanged: () => {},
      resourceUpdated: () => {},
      ended: () => this.cancel(task, 'What its agent stood on has ended.'),
    })
    const live: LiveTask = { id: task.id, call, connection, abort: new AbortController(), rounds: 0 }
    this.#live.set(task.id, live)
    // In a turn of its own: whoever asked for the task learns of it before it hears of how it goes.
    setImmediate(() => void this.#run(live))
    this.#arm()
    return task
  }

  /** For anybody but its owner there is no such task. */
  find(identity: Identity, id: string): Task | undefined {
    return this.#store.find(ownerOf(identity), id)
  }

  list(identity: Identity): Task[] {
    return this.#store.list(ownerOf(identity))
  }

  noteFetched({ id }: Task): void {
    this.#store.noteFetched(id)
  }

  /** Ends a task that is not over: its call is cancelled, whatever the worker makes of that. */
  cancel(task: Task, reason: string): void {
    this.#end(task, 'cancel', failure('cancelled', reason))
  }

  /** Gives some or all of the answers to a pending question, by its keys; others are of no interest. False: too large. */
  answer({ id }: Task, responses: Readonly<Record<string, unknown>>): boolean {
    const question = this.#store.answer(id, responses)
    if (question === 'too_large') return false
    if (question?.pending.size === 0) this.#resume(id, question.answers)
    return true
  }

  /** The client does not answer: the call ends for it. */
  refuse(task: Task, reason: string): void {
    this.#end(task, 'call', failure('cancelled', reason))
  }

  /** Whoever takes a pending question to a person; only the latest one may, and the signal tells the one before. */
  claim({ id }: Task): AbortSignal {
    const asker = new AbortController()
    const live = this.#live.get(id)
    live?.asker?.abort()
    if (live === undefined) asker.abort()
    else live.asker = asker
    return asker.signal
  }

  /** Resolves at the next change of status, or when the signal is aborted. */
  change({ id }: Task, signal: AbortSignal): Promise<Change> {
    return this.#waiters.change(id, signal)
  }

  /** The session of an agent has ended for good: nobody can ask any more for what only it could ask for. */
  release(identity: Identity): void {
    const owner = ownerOf(identity)
    if (owner.session === undefined) return
    for (const task of this.#store.release(owner)) this.cancel(task, 'The session of this task has ended.')
  }

  /** Does what time demands; the timer calls it. */
  tick(): void {
    const { running, unanswered } = this.#store.overdue()
    for (const task of running) {
      const message = `The ttl of this task (${task.ttlMs} ms) ended before its call, which was cancelled; it may have had an effect.`
      this.#end(task, 'call', failure('deadline_exceeded', message))
    }
    // The broker has let the worker go on without an answer; its outcome is there or will be.
    for (const { id, state } of unanswered) if (state.kind === 'asking') this.#resume(id, state.question.answers)
    this.#arm()
  }

  /** Ends what runs; there are no tasks after the hub. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const { id } of [...this.#live.values()]) {
      const task = this.#store.get(id)
      if (task !== undefined) this.cancel(task, 'The hub has ended.')
    }
  }

  async #run(live: LiveTask): Promise<void> {
    try {
      let outcome = await this.#call(live)
      while (outcome.kind === 'input_required') outcome = await this.#ask(live, outcome)
      this.#finish(live.id, 'call', outcome)
    } catch (error) {
      const { method, name } = live.call.request
      this.#log.error({ err: error, method, name }, 'a task failed inside the hub')
      this.#finish(live.id, 'call', failure('internal', 'The hub failed at this call; its log says why.'))
    } finally {
      live.connection.close()
    }
  }

  #call(live: LiveTask): Promise<CallOutcome> {
    const { call, connection, abort } = live
    const { progressToken: _, ...routed } = call.request
    return connection.call({
      ...routed,
      // Its messages become the status message, token or no token.
      client: { ...call.client, progress: true },
      signal: abort.signal,
      ...this.#listeners(live),
    })
  }

  #listeners({ id, call: { audience } }: LiveTask): CallListeners {
    const tell = (say: (task: Task) => void) => {
      const task = this.#store.get(id)
      if (task !== undefined && task.state.kind !== 'over') say(task)
    }
    return {
      onProgress: (body) => {
        const message = parseBody(body)?.['message']
        if (typeof message === 'string') this.#store.note(id, message)
        tell((task) => audience.progress(task, body))
      },
      onLog: (level, body) => tell((task) => audience.logged(task, level, body)),
    }
  }

  async #ask(live: LiveTask, asked: Extract<CallOutcome, { kind: 'input_required' }>): Promise<CallOutcome> {
    const { id, connection, abort } = live
    const answered = new Promise<Readonly<Record<string, unknown>> | undefined>((resolve) => {
      live.reply = resolve
    })
    try {
      this.#store.ask(id, asked.id, this.#questionsOf(live, asked.body))
      this.#tellChanged(id)
    } catch (error) {
      connection.abandon(asked.id)
      if (error instanceof InputFailure) return failure('cancelled', error.message)
      throw error
    }
    // It may be over meanwhile, and then nobody would reply.
    const answers = this.#live.has(id) ? await answered : undefined
    delete live.reply
    if (answers === undefined) {
      connection.abandon(asked.id)
      return failure('cancelled', 'The call was cancelled.')
    }
    const body = Buffer.from(JSON.stringify({ inputResponses: answers }))
    return connection.resume(asked.id, body, { signal: abort.signal, ...this.#listeners(live) })
  }

  /** @throws InputFailure for a question that cannot be put to this client. */
  #questionsOf(live: LiveTask, body: Uint8Array): InputRequests {
    live.rounds += 1
    if (live.rounds > inputRoundsMax) throw new InputFailure(`The worker asked more than ${inputRoundsMax} times`)
    const requests = parseInputRequests(body)
    const missing = unanswerable(requests, live.call.client)[0]
    if (missing !== undefined) throw new InputFailure(missingCapability(missing).message)
    return new Map([...requests].map(([key, request]) => [`${live.rounds}.${key}`, request]))
  }

  /** With all answers, or with those that came while somebody waited for them. */
  #resume(id: string, answers: Readonly<Record<string, unknown>>): void {
    const live = this.#live.get(id)
    if (live?.reply === undefined) return
    this.#store.work(id)
    live.asker?.abort()
    // The number of the round, which made the key unique, is ours.
    const byWorkersKey = Object.entries(answers).map(([key, answer]) => [key.slice(key.indexOf('.') + 1), answer])
    live.reply(Object.fromEntries(byWorkersKey))
    this.#tellChanged(id)
  }

  #end(task: Task, end: 'call' | 'cancel', outcome: FinalOutcome): void {
    const live = this.#live.get(task.id)
    this.#finish(task.id, end, outcome)
    live?.abort.abort()
    live?.reply?.(undefined)
  }

  #finish(id: string, end: 'call' | 'cancel', outcome: FinalOutcome): void {
    const live = this.#live.get(id)
    if (live === undefined) return
    this.#store.finish(id, end, outcome, messageOf(outcome))
    this.#live.delete(id)
    live.asker?.abort()
    this.#tellChanged(id, live)
  }

  #tellChanged(id: string, live = this.#live.get(id)): void {
    this.#waiters.wake(id)
    const task = this.#store.get(id)
    if (task !== undefined) live?.call.audience.changed(task)
    this.#arm()
  }

  #arm(): void {
    clearTimeout(this.#timer)
    const at = this.#closed ? undefined : this.#store.nextDeadline()
    if (at === undefined) return
    this.#timer = setTimeout(() => this.tick(), Math.max(0, at - this.#now()))
    // Results that wait to be fetched keep nothing alive.
    this.#timer.unref()
  }
}
