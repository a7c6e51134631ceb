import type { CallId } from '@callboard/protocol'
import type { InputRequests } from '../input-requests.js'
import * as limits from './limits.js'
import {
  type FinalOutcome,
  isSameOwner,
  type Question,
  type Task,
  type TaskOwner,
  type TaskRequest,
  type TaskState,
} from './task.js'

export interface TaskStoreOptions {
  /** UTC ms. */
  readonly now: () => number
  /** Ids that nobody can guess, never the same twice. */
  readonly nextId: () => string
}

/** What time has done since it was last asked. */
export interface Overdue {
  /** Their time to live is over and their call is not. */
  readonly running: readonly Task[]
  /** Nobody answered their question. */
  readonly unanswered: readonly Task[]
}

/**
 * The tasks of all principals, in memory. What runs is never dropped; results make room for new tasks only after they
 * were fetched, and go when their time to live is over.
 */
export class TaskStore {
  readonly #now: () => number
  readonly #nextId: () => string
  /** In the order of their creation. */
  readonly #byId = new Map<string, Task>()

  constructor({ now, nextId }: TaskStoreOptions) {
    this.#now = now
    this.#nextId = nextId
  }

  get size(): number {
    return this.#byId.size
  }

  /** Undefined when there is no room. `ttlMs`: what was asked for; brought within the limits. */
  create(owner: TaskOwner, request: TaskRequest, ttlMs: number = limits.ttlMsDefault): Task | undefined {
    this.#forgetExpired()
    if (!this.#makeRoom(owner.principal)) return undefined
    const now = this.#now()
    const task: Task = {
      id: this.#nextId(),
      owner,
      request,
      createdAt: now,
      updatedAt: now,
      ttlMs: Math.min(Math.max(Math.ceil(ttlMs), limits.ttlMsMin), limits.ttlMsMax),
      state: { kind: 'working' },
    }
    this.#byId.set(task.id, task)
    return task
  }

  /** For anybody but its owner there is no such task. */
  find(owner: TaskOwner, id: string): Task | undefined {
    const task = this.get(id)
    return task !== undefined && isSameOwner(task.owner, owner) ? task : undefined
  }

  /** Whoever it belongs to. */
  get(id: string): Task | undefined {
    const task = this.#byId.get(id)
    return task === undefined || this.#isExpired(task) ? undefined : task
  }

  /** The oldest first. */
  list(owner: TaskOwner): Task[] {
    return [...this.#byId.values()].filter((task) => isSameOwner(task.owner, owner) && !this.#isExpired(task))
  }

  /** The worker asks; `requests` by keys that are unique for the life of the task. */
  ask(id: string, callId: CallId, requests: InputRequests): Task | undefined {
    const expiresAt = this.#now() + limits.questionMs
    return this.#move(id, { kind: 'asking', question: { callId, pending: requests, answers: {}, expiresAt } })
  }

  /** Takes the answers to what is pending, all or some of it; the rest of them is nobody's. Undefined: nothing is asked. */
  answer(id: string, responses: Readonly<Record<string, unknown>>): Question | 'too_large' | undefined {
    const task = this.get(id)
    if (task?.state.kind !== 'asking') return undefined
    const { question } = task.state
    const answered = [...question.pending.keys()].filter((key) => Object.hasOwn(responses, key))
    if (answered.length === 0) return question
    const answers = { ...question.answers, ...Object.fromEntries(answered.map((key) => [key, responses[key]])) }
    if (Buffer.byteLength(JSON.stringify(answers)) > limits.answersBytesMax) return 'too_large'
    const pending = new Map([...question.pending].filter(([key]) => !answered.includes(key)))
    const next: Question = { ...question, pending, answers }
    this.#move(id, { kind: 'asking', question: next })
    return next
  }

  work(id: string): Task | undefined {
    return this.#move(id, { kind: 'working' })
  }

  /** Undefined when it was over already: the first end counts. */
  finish(id: string, end: 'call' | 'cancel', outcome: FinalOutcome, message?: string): Task | undefined {
    const moved = this.#move(id, { kind: 'over', end, outcome: kept(outcome), fetched: false }, message)
    if (moved === undefined) return undefined
    const ttlMs = Math.max(moved.ttlMs, moved.updatedAt - moved.createdAt + limits.fetchMs)
    return this.#put({ ...moved, ttlMs })
  }

  /** What it is doing, for people. */
  note(id: string, message: string): void {
    const task = this.get(id)
    if (task?.state.kind !== 'working') return
    this.#put({ ...task, updatedAt: this.#now(), message: message.slice(0, limits.messageLengthMax) })
  }

  /** Its owner has the result now; it may go first when room is needed. */
  noteFetched(id: string): void {
    const task = this.get(id)
    if (task?.state.kind === 'over') this.#put({ ...task, state: { ...task.state, fetched: true } })
  }

  /** Forgets results whose time is over, and names the tasks for which something has to be done. */
  overdue(): Overdue {
    this.#forgetExpired()
    const now = this.#now()
    const open = [...this.#byId.values()].filter(({ state }) => state.kind !== 'over')
    const running = open.filter((task) => endOf(task) <= now)
    const unanswered = open.filter(
      (task) => endOf(task) > now && task.state.kind === 'asking' && task.state.question.expiresAt <= now,
    )
    return { running, unanswered }
  }

  /** UTC ms of the next time when {@link overdue} has something to say or to forget. */
  nextDeadline(): number | undefined {
    const times = [...this.#byId.values()].map((task) =>
      task.state.kind === 'asking' ? Math.min(endOf(task), task.state.question.expiresAt) : endOf(task),
    )
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Forgets what is over and belongs to this owner, and names what is not. */
  release(owner: TaskOwner): Task[] {
    const tasks = this.list(owner)
    for (const { id, state } of tasks) if (state.kind === 'over') this.#byId.delete(id)
    return tasks.filter(({ state }) => state.kind !== 'over')
  }

  /** A task that is over stays as it is. */
  #move(id: string, state: TaskState, message?: string): Task | undefined {
    const task = this.get(id)
    if (task === undefined || task.state.kind === 'over') return undefined
    const { message: _, ...rest } = task
    const told = message === undefined ? {} : { message: message.slice(0, limits.messageLengthMax) }
    return this.#put({ ...rest, ...told, state, updatedAt: this.#now() })
  }

  #put(task: Task): Task {
    this.#byId.set(task.id, task)
    return task
  }

  /** Whether there is room for one more task, if need be after the oldest results that were fetched have gone. */
  #makeRoom(principal: string): boolean {
    return (
      this.#makeRoomAmong(({ owner }) => owner.principal === principal, {
        tasks: limits.tasksPerPrincipalMax,
        bytes: limits.keptBytesPerPrincipalMax,
      }) && this.#makeRoomAmong(() => true, { tasks: limits.tasksMax, bytes: limits.keptBytesMax })
    )
  }

  #makeRoomAmong(counts: (task: Task) => boolean, max: { readonly tasks: number; readonly bytes: number }): boolean {
    const counted = [...this.#byId.values()].filter(counts)
    let tasks = counted.length + 1
    let bytes = counted.reduce((sum, task) => sum + bytesOf(task), limits.resultBytesMax)
    const dropped: string[] = []
    for (const task of counted) {
      if (tasks <= max.tasks && bytes <= max.bytes) break
      if (task.state.kind !== 'over' || !task.state.fetched) continue
      tasks -= 1
      bytes -= bytesOf(task)
      dropped.push(task.id)
    }
    if (tasks > max.tasks || bytes > max.bytes) return false
    for (const id of dropped) this.#byId.delete(id)
    return true
  }

  #forgetExpired(): void {
    for (const task of this.#byId.values()) if (this.#isExpired(task)) this.#byId.delete(task.id)
  }

  #isExpired(task: Task): boolean {
    return task.state.kind === 'over' && endOf(task) <= this.#now()
  }
}

function endOf({ createdAt, ttlMs }: Task): number {
  return createdAt + ttlMs
}

function bytesOf({ state }: Task): number {
  if (state.kind !== 'over') return limits.resultBytesMax
  return 'body' in state.outcome ? state.outcome.body.byteLength : 0
}

/** A body may be a piece of a batch of many; the rest of that must not be kept with it. */
function kept(outcome: FinalOutcome): FinalOutcome {
  return 'body' in outcome ? { ...outcome, body: Buffer.from(outcome.body) } : outcome
}
