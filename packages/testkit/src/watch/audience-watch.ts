import type { BrokerEffect, BrokerEvent } from '@callboard/hub'
import { contentOf, parse } from '../check-history.js'
import { Violation } from '../history.js'
import type { CallBody, Canary } from '../plan.js'
import type { Watch } from './watch.js'

/** Who may hear what: progress and log lines of the own call, updates of what is watched. */
export class AudienceWatch implements Watch {
  /** The root of each open turn. */
  readonly #turns = new Map<number, string>()
  readonly #watched = new Map<number, Set<string>>()

  event(event: BrokerEvent): void {
    switch (event.type) {
      case 'call': {
        const { canary } = parse(event.call.body) as CallBody
        this.#turns.set(event.ref, canary.root)
        return
      }
      case 'resume': {
        const answer = parse(event.body) as { inputResponses: { q: { echo: Canary } } }
        this.#turns.set(event.ref, answer.inputResponses.q.echo.root)
        return
      }
      case 'subscribe':
        this.#watched.set(event.connection, (this.#watched.get(event.connection) ?? new Set()).add(event.uri))
        return
      case 'unsubscribe':
        this.#watched.get(event.connection)?.delete(event.uri)
        return
      case 'connection_closed':
        this.#watched.delete(event.connection)
        return
      default:
        return
    }
  }

  effect(effect: BrokerEffect): void {
    switch (effect.type) {
      case 'settle':
        this.#turns.delete(effect.ref)
        return
      case 'progress':
      case 'log': {
        const turn = this.#turns.get(effect.ref)
        const root = contentOf(effect.body)?.canary.root
        if (turn === undefined) throw new Violation(`${effect.type} for ref ${effect.ref}, which is not open`)
        if (root !== turn) throw new Violation(`${effect.type} of ${root} went to ${turn}`)
        return
      }
      case 'resource_updated':
        for (const connection of effect.connections) {
          if (this.#watched.get(connection)?.has(effect.uri) !== true) {
            throw new Violation(`connection ${connection} hears of ${effect.uri}, which it does not watch`)
          }
        }
        return
      default:
        return
    }
  }
}
