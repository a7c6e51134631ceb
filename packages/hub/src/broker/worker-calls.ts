import { createHash } from 'node:crypto'
import {
  bodyBytesMax,
  type Caller,
  type CallId,
  type Call as CallMessage,
  type Client,
  deadlineMsMax,
  depthMax,
  type RoutingFailure,
  type WorkerMethod,
} from '@callboard/protocol'
import type { Identity } from '../port.js'
import { admit } from './admission.js'
import type { CallFlow } from './call-flow.js'
import { recordRefused } from './call-record.js'
import type { Call } from './calls.js'
import { isObject, parseJson } from './definition.js'
import { tokenMsMax } from './limits.js'
import type { WorkerPeer } from './peers.js'
import { type BrokerState, failure } from './state.js'
import { viewerOf } from './viewer-lists.js'

/** For whom a worker calls: derived from the live parent or a token, never from the worker's word. [CB-35] */
interface Standing {
  readonly caller: Caller
  readonly services: readonly string[] | undefined
  readonly client: Client
  readonly deadlineMax: number
  readonly parent: Call | undefined
}

/** CALL: a worker's use of another worker's tool, and what the hub itself answers. [CB-60] */
export class WorkerCalls {
  readonly #state: BrokerState
  readonly #flow: CallFlow

  constructor(state: BrokerState, flow: CallFlow) {
    this.#state = state
    this.#flow = flow
  }

  call(worker: WorkerPeer, message: CallMessage): void {
    if (this.#state.calls.ofWorker(worker.peer, message.id) !== undefined) {
      return this.#state.counters.add('frames_dropped', 'duplicate_call')
    }
    if (message.method === 'callboard/token.mint') return this.#mint(worker, message)
    if (message.method === 'callboard/token.revoke') return this.#revoke(worker, message)
    const standing = this.#standing(worker, message)
    if ('code' in standing) return this.#fail(worker, message, standing)
    if (message.method === 'tools/list') return this.#list(worker, message, standing)
    this.#start(worker, message, message.method, standing)
  }

  cancel(worker: WorkerPeer, workerCallId: string): void {
    const call = this.#state.calls.ofWorker(worker.peer, workerCallId)
    if (call !== undefined) this.#flow.stop(call, 'cancelled', failure('cancelled', 'The call was cancelled.'))
  }

  #start(worker: WorkerPeer, message: CallMessage, method: WorkerMethod, standing: Standing): void {
    const state = this.#state
    if (standing.caller.depth > depthMax) {
      const text = `Calls are nested deeper than ${depthMax}; look for workers that call each other in a circle.`
      return this.#fail(worker, message, failure('depth_exceeded', text))
    }
    const { caller, services } = standing
    const viewer = viewerOf(caller, services)
    const definition = state.resolve(method, message.name, viewer)
    const wish = { method, name: message.name, body: message.body }
    const refused = { wish, client: standing.client, caller, parent: standing.parent?.id }
    if (definition === undefined) {
      recordRefused(state, { ...refused, outcome: 'unknown' })
      return this.#fail(worker, message, failure('not_found', `There is no ${message.name.slice(0, 128)} here.`))
    }
    const admitted =
      state.policy === undefined ? wish : admit(state, state.policy, { definition, wish, caller: viewer })
    if ('code' in admitted) {
      recordRefused(state, { ...refused, outcome: admitted.code, definition })
      return this.#fail(worker, message, admitted)
    }
    const id = state.nextCallId()
    const longest = state.now + Math.min(definition.timeoutMs, deadlineMsMax)
    worker.calls.add(id)
    const call: Call = {
      id,
      origin: {
        kind: 'worker',
        peer: worker.peer,
        workerCallId: message.id,
        parent: standing.parent?.id,
        wantsProgress: message.progress,
      },
      definition,
      method,
      workerName: method === 'resources/read' ? message.name : definition.workerKey,
      body: admitted.body,
      caller,
      services,
      client: standing.client,
      idempotencyKey: message.idempotencyKey ?? id,
      traceparent: standing.parent?.traceparent,
      tracestate: standing.parent?.tracestate,
      startedAt: state.now,
      deadline: Math.min(message.deadline ?? longest, longest, standing.deadlineMax),
      state: { kind: 'queued' },
      attempts: 0,
      wasChosen: false,
      mayHaveRun: false,
      children: undefined,
    }
    this.#flow.submit(call)
  }

  #standing(worker: WorkerPeer, message: CallMessage): Standing | RoutingFailure {
    if (message.parent !== undefined) return this.#standingOfParent(worker, message.parent, message.progress)
    const identity = message.token === undefined ? undefined : this.#state.tokens.find(message.token, this.#state.now)
    if (identity === undefined) {
      return failure('forbidden', 'A call needs a parent call that this worker holds, or a token that is still good.')
    }
    const { session, group, run } = identity
    return {
      caller: {
        session,
        principal: `worker:${worker.service}`,
        roles: ['agent'],
        ...(group === undefined ? {} : { group }),
        depth: 1,
        ...(run === undefined ? {} : { run }),
        onBehalfOf: identity.principal,
      },
      services: identity.services,
      client: { generation: 'modern', input: [], progress: message.progress },
      deadlineMax: Number.POSITIVE_INFINITY,
      parent: undefined,
    }
  }

  #standingOfParent(worker: WorkerPeer, id: CallId, progress: boolean): Standing | RoutingFailure {
    const parent = this.#state.calls.get(id)
    if (parent === undefined || parent.state.kind === 'queued' || parent.state.peer !== worker.peer) {
      return failure('forbidden', 'The parent call has ended, or this worker does not hold it.')
    }
    const { session, group, run, depth, onBehalfOf, principal } = parent.caller
    return {
      caller: {
        session,
        principal: `worker:${worker.service}`,
        roles: ['agent'],
        ...(group === undefined ? {} : { group }),
        depth: depth + 1,
        ...(run === undefined ? {} : { run }),
        onBehalfOf: onBehalfOf ?? principal,
      },
      services: parent.services,
      client: { ...parent.client, progress },
      deadlineMax: parent.state.kind === 'suspended' ? this.#state.now + parent.state.remainingMs : parent.deadline,
      parent,
    }
  }

  #list(worker: WorkerPeer, message: CallMessage, { caller, services }: Standing): void {
    const tools = this.#state.catalogue.list('tool', viewerOf(caller, services), 'session')
    this.#answer(worker, message, { tools })
  }

  /**
   * A trusted worker gets a token for an agent that it starts: bound to principal, group and run, never an operator. One that
   * it has already it may bring back, to a hub that was restarted under its agent. [CB-67]
   */
  #mint(worker: WorkerPeer, message: CallMessage): void {
    const { tokens, options, now } = this.#state
    const wish = parseJson(message.body)
    if (!worker.trusted)
      return this.#fail(worker, message, failure('forbidden', 'Only a trusted worker may mint tokens.'))
    if (!isMintWish(wish)) {
      const text =
        'A mint needs { agent: name, ttlMs: 1 to 86,400,000, group?: name, run?: { id, attempt, triggerDepth }, token? }.'
      return this.#fail(worker, message, failure('forbidden', text))
    }
    const token = wish.token ?? `cbr_${Buffer.from(options.random(32)).toString('base64url')}`
    const identity = identityOf(wish, token)
    if (wish.token !== undefined && !tokens.mayRestore(token, worker.service, identity)) {
      const text = 'This token was revoked, or is for another service, agent, group or run.'
      return this.#fail(worker, message, failure('forbidden', text))
    }
    if (tokens.isFull && !tokens.has(token))
      return this.#fail(worker, message, failure('overloaded', 'Too many tokens are alive.', 60_000))
    const expiresAt = now + wish.ttlMs
    tokens.add(token, { identity, mintedBy: worker.service, expiresAt })
    this.#state.schedule('token_expired', token, wish.ttlMs)
    this.#answer(worker, message, { token, expiresAt })
  }

  /** The token is in the body, not in a head: heads may be logged. */
  #revoke(worker: WorkerPeer, message: CallMessage): void {
    const wish = parseJson(message.body)
    if (!isRevokeWish(wish)) {
      const text = 'A revocation needs { token } or { run: { id, attempt } }.'
      return this.#fail(worker, message, failure('forbidden', text))
    }
    const { tokens } = this.#state
    const named = 'token' in wish ? [wish.token] : tokens.ofRun(wish.run, worker.service)
    const revoked = named.filter((token) => this.#revokeOne(token, worker.service))
    this.#answer(worker, message, { revoked: revoked.length > 0 })
  }

  #revokeOne(token: string, service: string): boolean {
    const grant = this.#state.tokens.revoke(token, service)
    if (grant === undefined) return false
    this.#state.unschedule('token_expired', token)
    this.#state.schedule('session_revoked', grant.identity.session, 0)
    return true
  }

  #answer(worker: WorkerPeer, message: CallMessage, value: object): void {
    const body = Buffer.from(JSON.stringify(value))
    if (body.byteLength > bodyBytesMax) {
      return this.#fail(worker, message, failure('result_too_large', 'The answer does not fit into one message.'))
    }
    this.#state.send(worker.peer, { type: 'result', id: message.id, outcome: 'result', body })
  }

  #fail(worker: WorkerPeer, message: CallMessage, why: RoutingFailure): void {
    this.#state.send(worker.peer, { type: 'result', id: message.id, outcome: 'failure', failure: why })
  }
}

interface MintWish {
  /** One that the service was given before. */
  readonly token?: string
  readonly agent: string
  readonly ttlMs: number
  readonly group?: string
  readonly run?: { readonly id: string; readonly attempt: number; readonly triggerDepth: number }
}

function isMintWish(value: unknown): value is MintWish {
  if (!isObject(value)) return false
  const { token, agent, ttlMs, group, run } = value
  return (
    (token === undefined || (typeof token === 'string' && /^cbr_[\w-]{43}$/.test(token))) &&
    isName(agent) &&
    isWhole(ttlMs, 1, tokenMsMax) &&
    (group === undefined || isName(group)) &&
    (run === undefined ||
      (isObject(run) && isName(run['id']) && isWhole(run['attempt'], 0, 1e6) && isWhole(run['triggerDepth'], 0, 1e3)))
  )
}

/** The session follows from the token, so that it is the same one after a restart of the hub. */
function identityOf({ agent, group, run }: MintWish, token: string): Identity {
  const session = createHash('sha256').update(`session of ${token}`).digest().subarray(0, 16).toString('base64url')
  return {
    session: `run-${session}`,
    principal: `agent:${agent}`,
    roles: ['agent'],
    ...(group === undefined ? {} : { group }),
    ...(run === undefined ? {} : { run }),
  }
}

type RevokeWish = { readonly token: string } | { readonly run: { readonly id: string; readonly attempt: number } }

function isRevokeWish(value: unknown): value is RevokeWish {
  if (!isObject(value)) return false
  const { token, run } = value
  if (run === undefined) return typeof token === 'string'
  return token === undefined && isObject(run) && isName(run['id']) && isWhole(run['attempt'], 0, 1e6)
}

const isName = (value: unknown): value is string => typeof value === 'string' && /^[!-~]{1,64}$/.test(value)

const isWhole = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
