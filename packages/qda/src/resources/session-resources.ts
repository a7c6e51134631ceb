import type { Worker } from '@callboard/worker'
import type { OpenProject } from '../project/open-project.js'
import { projectContext } from '../project/project-context.js'
import { findSource, type SourceRow, sourceFingerprint } from '../project/sources.js'
import type { ProjectDesk } from '../sessions/project-desk.js'
import { actorOf } from '../tools/actor.js'
import { cursorUri, projectUri } from './uris.js'

/** A passage that somebody was sent to, in code points. */
export interface NavigatedTo {
  readonly source_id: number
  readonly start_pos: number
  readonly end_pos: number
  readonly highlight: boolean
}

/** What each session sees of the project that it has open, and where that project's cursor is. */
export class SessionResources {
  readonly #worker: Worker
  readonly #desk: ProjectDesk
  /** Sessions that watch the cursor. */
  readonly #watching = new Set<string>()
  readonly #cursors = new WeakMap<OpenProject, { readonly to: NavigatedTo; readonly fingerprint: string }>()

  constructor(worker: Worker, desk: ProjectDesk) {
    this.#worker = worker
    this.#desk = desk
    worker.onSubscription((uri, session, isSubscribed) => {
      if (uri !== cursorUri) return
      if (isSubscribed) this.#watching.add(session)
      else this.#watching.delete(session)
    })
    worker.onSessionClosed((session) => this.#watching.delete(session))
    const asJson = { mimeType: 'application/json' }
    worker.resource(
      projectUri,
      { name: 'project', title: 'Open project', description: 'What get_project_context tells.', ...asJson },
      (_, __, { caller }) =>
        desk.useOwn(caller.session, (project) => JSON.stringify(projectContext(project, actorOf(caller).name))),
    )
    worker.resource(
      cursorUri,
      {
        ...{ name: 'cursor', title: 'Cursor', ...asJson },
        description: 'Where navigate_to_segment sent the readers of this project last; null: nowhere yet.',
      },
      (_, __, { caller }) => desk.useOwn(caller.session, (project) => JSON.stringify(this.#cursorOf(project))),
    )
  }

  /** How many sessions that have the project open, and watch, are told. */
  navigate(project: OpenProject, source: SourceRow, to: NavigatedTo): number {
    this.#cursors.set(project, { to, fingerprint: sourceFingerprint(source) })
    const watching = this.#desk.sessionsOf(project).filter((session) => this.#watching.has(session))
    for (const session of watching) this.#worker.resourceUpdated(cursorUri, session)
    return watching.length
  }

  /** The session has another project open now, or none. */
  moved(session: string): void {
    for (const uri of [projectUri, cursorUri]) this.#worker.resourceUpdated(uri, session)
  }

  /** A source that is gone has no passages. */
  #cursorOf(project: OpenProject | undefined): NavigatedTo | null {
    const cursor = project === undefined ? undefined : this.#cursors.get(project)
    if (project === undefined || cursor === undefined) return null
    const source = findSource(project.db, cursor.to.source_id)
    return source !== undefined && sourceFingerprint(source) === cursor.fingerprint ? cursor.to : null
  }
}
