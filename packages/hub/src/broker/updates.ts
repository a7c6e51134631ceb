import { ownToolsMax, type SessionView, viewBytesMax, viewNamesLengthMax } from '@callboard/protocol'
import { authorize } from './authorization.js'
import { isDeeper, isObject, parseDefinitions, parseJson } from './definition.js'
import type { Dispatcher } from './dispatcher.js'
import type { PeerId } from './events.js'
import { definitionDepthMax, updateBytesPerInterval, updateIntervalMs, verdictsMax } from './limits.js'
import type { WorkerPeer } from './peers.js'
import type { SignIn } from './sign-in.js'
import type { BrokerState } from './state.js'

/** UPDATE: what a signed-in worker offers from now on, or what one session sees of it. [CB-25] [CB-26] */
export class Updates {
  readonly #state: BrokerState
  readonly #dispatcher: Dispatcher
  readonly #signIn: SignIn

  constructor(state: BrokerState, dispatcher: Dispatcher, signIn: SignIn) {
    this.#state = state
    this.#dispatcher = dispatcher
    this.#signIn = signIn
  }

  /** Judging definitions is the hub's most costly work, so that of many in a row only the newest is judged. */
  received(worker: WorkerPeer, body: Uint8Array): void {
    const waitMs =
      worker.updatedAt + updateIntervalMs * Math.ceil(body.byteLength / updateBytesPerInterval) - this.#state.now
    if (waitMs <= 0) return this.#judge(worker, body)
    worker.nextUpdate = body
    this.#state.schedule('update_due', worker.peer, waitMs)
  }

  due(peer: PeerId): void {
    const worker = this.#state.peers.worker(peer)
    if (worker?.nextUpdate !== undefined) this.#judge(worker, worker.nextUpdate)
  }

  viewReceived(worker: WorkerPeer, session: string, body: Uint8Array): void {
    const { catalogue, counters, sessions, sessionsSettled } = this.#state
    const sent = body.byteLength > viewBytesMax ? undefined : parseJson(body)
    const isGone = sessionsSettled && sessions.get(session) === undefined && !worker.sessions.has(session)
    if (!isSessionView(sent) || isGone) return counters.add('frames_dropped', 'invalid_update')
    const view = this.#authorizedView(worker, sent)
    const faults = catalogue.views.set(worker, session, view, sessions.get(session)?.identity.principal)
    if (faults === undefined) return counters.add('frames_dropped', 'views_max')
    for (const fault of faults) counters.add('own_tools_dropped', fault)
  }

  #authorizedView(worker: WorkerPeer, view: SessionView): SessionView {
    const { allowed, refused } = authorize({ tools: view.tools ?? [] }, worker.signedInBy?.authorization)
    for (const _ of refused) this.#state.counters.add('own_tools_dropped', 'not_authorized')
    return refused.length === 0 ? view : { ...view, tools: allowed.tools ?? [] }
  }

  /** An operator accepted something, or takes it back: all that is offered is judged again. */
  pinsChanged(accepted: ReadonlySet<string> | undefined): void {
    const { catalogue, peers, sessions, now } = this.#state
    catalogue.pin(accepted, now)
    for (const { sender, session, content } of catalogue.views.heldViews.all()) {
      catalogue.views.set(sender, session, content, sessions.get(session)?.identity.principal)
    }
    const workers = [...peers.workers()]
    for (const worker of workers) this.#signIn.tellSubscriptions(worker)
    for (const service of new Set(workers.map((worker) => worker.service))) this.#dispatcher.offersChanged(service)
  }

  #judge(worker: WorkerPeer, body: Uint8Array): void {
    const { catalogue, counters, now } = this.#state
    worker.updatedAt = now
    worker.nextUpdate = undefined
    this.#state.unschedule('update_due', worker.peer)
    const definitions = parseDefinitions(body)
    const known = catalogue.describe(worker.service)
    if (definitions === undefined || known === undefined) return counters.add('frames_dropped', 'invalid_update')
    const { replicas, affinity } = known
    const { service, version, trusted, key } = worker
    const { allowed, refused } = authorize(definitions, worker.signedInBy?.authorization)
    worker.unauthorized = refused.slice(0, verdictsMax)
    const offer = { service, version, replicas, affinity, trusted, key, definitions: allowed }
    catalogue.offer(worker.peer, offer, now)
    this.#signIn.tellSubscriptions(worker)
    this.#dispatcher.offersChanged(service)
  }
}

function isSessionView(value: unknown): value is SessionView {
  if (!isObject(value) || isDeeper(value, definitionDepthMax)) return false
  const { tools = [] } = value
  if (!Array.isArray(tools) || tools.length > ownToolsMax) return false
  let length = 0
  const areNames = ['hiddenTools', 'hiddenPrompts', 'hiddenResources', 'shownTools'].every((key) => {
    const names = value[key] ?? []
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return false
    length += names.reduce((sum: number, name: string) => sum + name.length, 0)
    return true
  })
  return areNames && length <= viewNamesLengthMax
}
