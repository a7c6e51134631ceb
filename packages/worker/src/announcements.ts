import type { Event as HubEvent, SessionNotice, Sessions, SessionView, Subscribe } from '@callboard/protocol'
import type { Subscription } from './audience.js'
import { decodeJson, encodeJson, isRecord } from './json-body.js'
import { eventsMax } from './limits.js'
import type { SessionState } from './session-state.js'

/** What the hub hears outside of calls (definitions, views, events), and what it tells of the agents' sessions. */
export class Announcements {
  readonly #state: SessionState

  constructor(state: SessionState) {
    this.#state = state
  }

  define(body: Uint8Array): void {
    this.#state.definitions = body
    this.#announce()
  }

  view(session: string, view: SessionView): void {
    this.#state.audience.setView(session, view, this.#state.isReady)
    this.#update(encodeJson(view), session)
  }

  /** Without a hub it is kept for the next; equal ones count once. [CB-54] */
  event(event: Omit<HubEvent, 'epoch'>): void {
    const { handshake, events } = this.#state
    const { phase } = handshake
    if (phase.name === 'ready') return this.#state.send({ ...event, epoch: phase.epoch })
    if (events.size < eventsMax) events.set(JSON.stringify([event.kind, event.uri, event.session]), event)
  }

  /** What has changed since READY was written, and what a hub doesn't keep from one sign-in to the next. [CB-26] */
  repeat(): void {
    const { audience, events } = this.#state
    this.#announce()
    for (const [session, view] of [...audience.views]) {
      this.#update(encodeJson(view), session)
      audience.setView(session, view, true)
    }
    for (const event of events.values()) this.event(event)
    events.clear()
  }

  subscription({ type, uri, session }: Subscribe): void {
    const { audience } = this.#state
    const isNew = type === 'subscribe'
    const changed = isNew ? audience.subscribe(uri, session) : audience.unsubscribe(uri, session)
    if (changed) this.#tellSubscription({ uri, session }, isNew)
  }

  dropSubscriptions(): void {
    for (const subscription of this.#state.audience.dropSubscriptions()) this.#tellSubscription(subscription, false)
  }

  sessionNotice({ type, session }: SessionNotice): void {
    if (type === 'roots_changed') this.#state.emit({ type, session })
    else this.#closeSession(session)
  }

  /** Whoever is not named has gone while nobody could say so. [CB-57] */
  living({ body }: Sessions): void {
    const value = decodeJson(body)
    if (!isRecord(value) || !Array.isArray(value['sessions'])) return
    for (const session of this.#state.audience.without(new Set(value['sessions']))) this.#closeSession(session)
  }

  #announce(): void {
    const state = this.#state
    if (!state.isReady || state.announced === state.definitions) return
    state.announced = state.definitions
    this.#update(state.definitions)
  }

  #update(body: Uint8Array, session?: string): void {
    const { phase } = this.#state.handshake
    if (phase.name !== 'ready') return
    this.#state.send({ type: 'update', epoch: phase.epoch, ...(session === undefined ? {} : { session }), body })
  }

  #closeSession(session: string): void {
    for (const subscription of this.#state.audience.close(session)) this.#tellSubscription(subscription, false)
    this.#state.emit({ type: 'session_closed', session })
  }

  #tellSubscription({ uri, session }: Subscription, subscribed: boolean): void {
    this.#state.emit({ type: 'subscription', uri, session, subscribed })
  }
}
