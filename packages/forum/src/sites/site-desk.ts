import { ForumFailure } from '../failure/forum-failure.js'
import type { Scope } from '../http/site-client.js'
import type { Selection } from './selection.js'
import type { SessionSites } from './session-sites.js'

/** Where a call learns which forum it is for. */
export interface SiteDesk {
  /** Whether write tools are listed for everybody, because there is one forum for all and it may be written to. */
  readonly listsWritesForAll: boolean
  /** Throws `no_site_selected`; with one forum for all, whatever keeps it from being opened. */
  selectionFor(session: string, scope: Scope): Promise<Selection>
}

/** What a session sees of the worker's tools follows from what it has selected. */
export type ShowSelection = (session: string, selection: Selection | undefined) => void

/** Each session has its own. */
export class SelectedSites implements SiteDesk {
  readonly listsWritesForAll = false
  readonly #sites: SessionSites
  readonly #show: ShowSelection

  constructor(sites: SessionSites, show: ShowSelection) {
    this.#sites = sites
    this.#show = show
  }

  async selectionFor(session: string): Promise<Selection> {
    const selection = this.#sites.get(session)
    if (selection !== undefined) return selection
    // Another process may have shown it something that went with that process.
    this.#show(session, undefined)
    throw new ForumFailure('no_site_selected', 'No site selected. Call discourse_select_site first.')
  }

  /** Failing, it leaves the session where it was. */
  select(session: string, open: () => Promise<Selection>): Promise<Selection> {
    return this.#sites.inTurn(session, async () => {
      const selection = await open()
      this.#show(session, selection)
      this.#sites.set(session, selection)
      return selection
    })
  }
}

/** The same forum for all sessions, opened when it is first needed and was not at the start. */
export class TetheredSite implements SiteDesk {
  readonly listsWritesForAll: boolean
  readonly #open: (scope: Scope) => Promise<Selection>
  readonly #opened: (selection: Selection) => void
  #selection: Selection | undefined

  /** `opened` hears of it once, when the forum is open. */
  constructor(
    open: (scope: Scope) => Promise<Selection>,
    opened: (selection: Selection) => void,
    listsWritesForAll: boolean,
  ) {
    this.#open = open
    this.#opened = opened
    this.listsWritesForAll = listsWritesForAll
  }

  selectionFor(_session: string, scope: Scope): Promise<Selection> {
    return this.open(scope)
  }

  async open(scope: Scope): Promise<Selection> {
    if (this.#selection !== undefined) return this.#selection
    const selection = await this.#open(scope)
    // Others may have opened it meanwhile, each within its own time.
    if (this.#selection === undefined) {
      this.#selection = selection
      this.#opened(selection)
    }
    return this.#selection
  }
}
