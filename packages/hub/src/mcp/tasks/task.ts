import type { CallId } from '@callboard/protocol'
import type { CallOutcome, Identity } from '../../port.js'
import type { AgentRequest } from '../agent-request.js'
import type { InputRequests } from '../input-requests.js'

/** One call that outlives the request which asked for it. A value: each change is a new one under the same id. */
export interface Task {
  /** Unguessable. */
  readonly id: string
  readonly owner: TaskOwner
  readonly request: TaskRequest
  /** UTC ms. */
  readonly createdAt: number
  readonly updatedAt: number
  /** From `createdAt`; grows when the call leaves no time to fetch its result. */
  readonly ttlMs: number
  /** For people: the latest progress, or why it ended as it did. */
  readonly message?: string
  readonly state: TaskState
}

export type TaskState =
  | { readonly kind: 'working' }
  | { readonly kind: 'asking'; readonly question: Question }
  | {
      readonly kind: 'over'
      readonly end: 'call' | 'cancel'
      readonly outcome: FinalOutcome
      readonly fetched: boolean
    }

export type FinalOutcome = Exclude<CallOutcome, { readonly kind: 'input_required' }>

/** What was called; the arguments are the worker's and not kept. */
export type TaskRequest = Omit<AgentRequest, 'body'>

/** What a worker wants to know before its call goes on. */
export interface Question {
  readonly callId: CallId
  /** Still to be answered, by keys that are unique for the life of the task. */
  readonly pending: InputRequests
  /** By the same keys. */
  readonly answers: Readonly<Record<string, unknown>>
  /** UTC ms. */
  readonly expiresAt: number
}

export interface TaskOwner {
  readonly principal: string
  /** Set where strangers share the principal: only this session of it may know of the task. */
  readonly session?: string
}

/** The principal of everybody who comes over HTTP without a token. */
const strangers = 'agent:http'

/** A task belongs to a principal, so that it is found again after a reconnection. */
export function ownerOf({ principal, session }: Identity): TaskOwner {
  return principal === strangers ? { principal, session } : { principal }
}

export function isSameOwner(one: TaskOwner, other: TaskOwner): boolean {
  return one.principal === other.principal && one.session === other.session
}
