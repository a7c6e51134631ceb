import type { SessionView } from '@callboard/protocol'
import type { Sender } from '../broker/session-views.js'
import { heldViewsCharactersMax, heldViewsMax } from './limits.js'
import type { HeldDefinition } from './pinning.js'

/** A view of which something is held. */
export interface HeldView {
  readonly sender: Sender
  readonly session: string
  readonly content: SessionView
  readonly held: readonly HeldDefinition[]
}

/** Views that are judged again when something is accepted: without it a worker would have to send them once more. */
export class HeldViews {
  readonly #views = new Map<string, HeldView>()
  #characters = 0

  /** In place of the former of that session and service. Beyond the bound a view has to be sent again. */
  keep(view: HeldView): void {
    this.drop(view.session, view.sender.service)
    const characters = charactersOf(view)
    const isFull = this.#views.size >= heldViewsMax || this.#characters + characters > heldViewsCharactersMax
    if (view.held.length === 0 || isFull) return
    this.#views.set(viewKey(view.session, view.sender.service), view)
    this.#characters += characters
  }

  drop(session: string, service: string): void {
    const former = this.#views.get(viewKey(session, service))
    if (former === undefined) return
    this.#views.delete(viewKey(session, service))
    this.#characters -= charactersOf(former)
  }

  dropWhere(isOver: (view: HeldView) => boolean): void {
    for (const view of [...this.#views.values()]) if (isOver(view)) this.drop(view.session, view.sender.service)
  }

  all(): readonly HeldView[] {
    return [...this.#views.values()]
  }
}

const viewKey = (session: string, service: string): string => `${service} ${session}`
const charactersOf = ({ content }: HeldView): number => JSON.stringify(content).length
