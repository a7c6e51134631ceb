import type { Clock } from '@callboard/worker/clock'
import type { ProjectPath } from '../format/project-path.js'
import { OpenProject } from '../project/open-project.js'

interface Entry {
  readonly project: OpenProject
  /** Sessions that have it open. */
  readonly sessions: Set<string>
  /** Calls that work with it now. */
  calls: number
}

/** Which session has which project open. A project closes when its last session has left it and no call works with it any more. */
export class ProjectDesk {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #places = new Map<string, Entry>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  projectOf(session: string): OpenProject | undefined {
    return this.#places.get(session)?.project
  }

  sessionsOf(project: OpenProject): readonly string[] {
    return [...(this.#entries.get(project.path)?.sessions ?? [])]
  }

  /** Leaves the session's project once the other one is open; if that fails, the session keeps what it had. */
  open(session: string, place: ProjectPath): Promise<{ readonly project: OpenProject; readonly isNew: boolean }> {
    return this.#inTurn(async () => {
      const current = this.#places.get(session)
      if (current?.project.path === place.path) {
        await current.project.retryLock()
        return { project: current.project, isNew: false }
      }
      const entry = await this.#entryOf(place)
      entry.sessions.add(session)
      this.#places.set(session, entry)
      if (current !== undefined) await this.#leave(session, current)
      return { project: entry.project, isNew: true }
    })
  }

  /** What the session had open. */
  close(session: string): Promise<OpenProject | undefined> {
    return this.#inTurn(async () => {
      const entry = this.#places.get(session)
      if (entry === undefined) return undefined
      this.#places.delete(session)
      await this.#leave(session, entry)
      return entry.project
    })
  }

  /** Works with a project that the session need not have open. It stays open meanwhile, whatever the sessions do. */
  async use<Value>(place: ProjectPath, work: (project: OpenProject) => Promise<Value> | Value): Promise<Value> {
    const entry = await this.#inTurn(async () => {
      const found = await this.#entryOf(place)
      found.calls += 1
      return found
    })
    try {
      return await work(entry.project)
    } finally {
      await this.#inTurn(async () => {
        entry.calls -= 1
        await this.#closeIfUnused(entry)
      })
    }
  }

  /** The same with the session's own, if it has one; without waiting for anything before `work` begins. */
  async useOwn<Value>(
    session: string,
    work: (project: OpenProject | undefined) => Promise<Value> | Value,
  ): Promise<Value> {
    const entry = this.#places.get(session)
    if (entry === undefined) return work(undefined)
    entry.calls += 1
    try {
      return await work(entry.project)
    } finally {
      entry.calls -= 1
      if (isUnused(entry)) await this.#inTurn(() => this.#closeIfUnused(entry))
    }
  }

  async closeAll(): Promise<void> {
    await this.#inTurn(async () => {
      this.#places.clear()
      for (const { project } of this.#entries.values()) await project.close()
      this.#entries.clear()
    })
  }

  async #entryOf({ path, name }: ProjectPath): Promise<Entry> {
    const known = this.#entries.get(path)
    if (known !== undefined) {
      await known.project.retryLock()
      return known
    }
    const entry: Entry = { project: await OpenProject.open(path, name, this.#clock), sessions: new Set(), calls: 0 }
    this.#entries.set(path, entry)
    return entry
  }

  async #leave(session: string, entry: Entry): Promise<void> {
    entry.sessions.delete(session)
    await this.#closeIfUnused(entry)
  }

  async #closeIfUnused(entry: Entry): Promise<void> {
    if (!isUnused(entry) || this.#entries.get(entry.project.path) !== entry) return
    this.#entries.delete(entry.project.path)
    await entry.project.close()
  }

  /** One after the other: a project that opens and closes at once would be two. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}

const isUnused = ({ sessions, calls }: Entry): boolean => sessions.size === 0 && calls === 0
