import { type Caller, type CallId, type Client, TransientMap, type WorkerMethod } from '@callboard/protocol'
import type { CallOutcome } from '../port.js'
import type { Definition } from './definition.js'
import type { ConnectionId, PeerId, Ref } from './events.js'

/** Where a call's answer goes. */
export type Origin =
  /** The conversation knows the way. */
  | { readonly kind: 'agent' }
  /** A worker's CALL, with the id that the worker chose and the call it belongs to, if any. */
  | {
      readonly kind: 'worker'
      readonly peer: PeerId
      readonly workerCallId: string
      readonly parent: CallId | undefined
      readonly wantsProgress: boolean
    }

/** How far a call has come. */
export type CallState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'running'; readonly peer: PeerId }
  /** Waiting for a person; the rest of its time is kept. */
  | { readonly kind: 'suspended'; readonly peer: PeerId; readonly remainingMs: number }

/** A call that has not been answered yet. */
export interface Call {
  readonly id: CallId
  readonly origin: Origin
  readonly definition: Definition
  readonly method: WorkerMethod
  /** Under the name that the worker knows. */
  readonly workerName: string
  readonly body: Uint8Array
  readonly caller: Caller
  /** Only these exist for the agent at the root, and for all that is called in its name; undefined: all. */
  readonly services: readonly string[] | undefined
  client: Client
  readonly idempotencyKey: string
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
  readonly startedAt: number
  deadline: number
  state: CallState
  /** Hand-overs so far. */
  attempts: number
  /** The last one could have been to another worker: only of such calls the end says what a worker is like. */
  wasChosen: boolean
  /** A worker was lost with it, so that nobody may say that it was not started. */
  mayHaveRun: boolean
  /** Calls that belong to it; undefined: it never had one, as nearly all. */
  children: Set<CallId> | undefined
}

/**
 * What an agent is waiting for. A call answers in turns: each question to a person ends one, and the next begins with
 * the answer. While no turn is open, what there is to say waits here.
 */
export interface Conversation {
  readonly root: CallId
  readonly principal: string
  /** Of the open turn, or the last one: when it closes, so does what waits for it. */
  connection: ConnectionId
  /** The open turn; undefined while the agent is thinking about a question. */
  ref: Ref | undefined
  /** Questions not yet asked and the final outcome, in order. */
  readonly waiting: Turn[]
  /** The question that the agent has. */
  asked: CallId | undefined
}

export type Turn =
  | { readonly kind: 'question'; readonly asking: CallId; readonly body: Uint8Array }
  | { readonly kind: 'final'; readonly outcome: CallOutcome }

/** All open calls, and the conversations with the agents behind them. */
export class Calls {
  readonly #calls = new TransientMap<CallId, Call>()
  readonly #conversations = new TransientMap<CallId, Conversation>()
  readonly #conversationByRef = new TransientMap<Ref, Conversation>()
  readonly #byWorkerCall = new Map<string, CallId>()
  readonly #byConnection = new Map<ConnectionId, TransientMap<CallId, Conversation>>()

  get size(): number {
    return this.#calls.size
  }

  get conversationCount(): number {
    return this.#conversations.size
  }

  get(id: CallId): Call | undefined {
    return this.#calls.get(id)
  }

  values(): IterableIterator<Call> {
    return this.#calls.values()
  }

  add(call: Call): void {
    this.#calls.set(call.id, call)
    if (call.origin.kind === 'agent') return
    this.#byWorkerCall.set(workerCallKey(call.origin.peer, call.origin.workerCallId), call.id)
    const parent = call.origin.parent === undefined ? undefined : this.#calls.get(call.origin.parent)
    if (parent === undefined) return
    parent.children ??= new Set()
    parent.children.add(call.id)
  }

  remove(call: Call): void {
    this.#calls.delete(call.id)
    if (call.origin.kind === 'agent') return
    this.#byWorkerCall.delete(workerCallKey(call.origin.peer, call.origin.workerCallId))
    if (call.origin.parent !== undefined) this.#calls.get(call.origin.parent)?.children?.delete(call.id)
  }

  /** The conversations of a connection, by their root calls. */
  ofConnection(connection: ConnectionId): Iterable<CallId> {
    return this.#byConnection.get(connection)?.keys() ?? []
  }

  /** The call behind a worker's own CALL. */
  ofWorker(peer: PeerId, workerCallId: string): Call | undefined {
    const id = this.#byWorkerCall.get(workerCallKey(peer, workerCallId))
    return id === undefined ? undefined : this.#calls.get(id)
  }

  /** The agent's call at the top of a chain; undefined for a worker's call without a parent. */
  rootOf(call: Call): Call | undefined {
    let current: Call | undefined = call
    while (current !== undefined && current.origin.kind === 'worker') {
      current = current.origin.parent === undefined ? undefined : this.#calls.get(current.origin.parent)
    }
    return current
  }

  /** Whether a call is for a service that works on one that it belongs to. */
  isInCircle({ origin, definition }: Call): boolean {
    let parent: CallId | undefined = origin.kind === 'worker' ? origin.parent : undefined
    for (;;) {
      const current: Call | undefined = parent === undefined ? undefined : this.#calls.get(parent)
      if (current === undefined) return false
      if (current.definition.service === definition.service) return true
      parent = current.origin.kind === 'worker' ? current.origin.parent : undefined
    }
  }

  /** The client comes back in another request: what it says there holds for the call and all that belongs to it. */
  listenBy(id: CallId, client: Client): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    const { progress } = call.origin.kind === 'agent' ? client : call.client
    call.client = { ...client, progress }
    for (const child of call.children ?? []) this.listenBy(child, client)
  }

  converse(root: CallId, principal: string, connection: ConnectionId, ref: Ref): void {
    const conversation: Conversation = { root, principal, connection, ref, waiting: [], asked: undefined }
    this.#conversations.set(root, conversation)
    this.#conversationByRef.set(ref, conversation)
    this.#attach(conversation)
  }

  conversation(root: CallId): Conversation | undefined {
    return this.#conversations.get(root)
  }

  conversationByRef(ref: Ref): Conversation | undefined {
    return this.#conversationByRef.get(ref)
  }

  openTurn(conversation: Conversation, connection: ConnectionId, ref: Ref): void {
    this.#detach(conversation)
    conversation.connection = connection
    conversation.ref = ref
    this.#conversationByRef.set(ref, conversation)
    this.#attach(conversation)
  }

  closeTurn(conversation: Conversation): Ref | undefined {
    const { ref } = conversation
    conversation.ref = undefined
    if (ref !== undefined) this.#conversationByRef.delete(ref)
    return ref
  }

  endConversation(conversation: Conversation): void {
    this.closeTurn(conversation)
    this.#detach(conversation)
    this.#conversations.delete(conversation.root)
  }

  #attach(conversation: Conversation): void {
    const { root, connection } = conversation
    const roots = this.#byConnection.get(connection) ?? new TransientMap()
    roots.set(root, conversation)
    this.#byConnection.set(connection, roots)
  }

  #detach({ root, connection }: Conversation): void {
    const roots = this.#byConnection.get(connection)
    roots?.delete(root)
    if (roots?.size === 0) this.#byConnection.delete(connection)
  }
}

const workerCallKey = (peer: PeerId, workerCallId: string): string => `${peer} ${workerCallId}`
