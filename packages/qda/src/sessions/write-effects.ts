import type { Worker } from '@callboard/worker'
import { type Suggestion, suggestionsOf } from '../approvals/suggestions.js'
import type { FileMove, Writer } from '../changes/writer.js'
import type { Foundation } from '../foundation.js'
import { moveInside } from '../project/move-inside.js'
import type { OpenProject } from '../project/open-project.js'
import { mirrorSuggestions } from '../records/suggestions.js'
import { projectUri } from '../resources/uris.js'
import type { FileTool, ProjectCall, WriteTool } from '../tools/qda-tool.js'
import type { AfterWrites } from './after-writes.js'
import type { ProjectDesk } from './project-desk.js'

/** What else a write brings with it: a backup before, and afterwards files, caches, the log and the other sessions. */
export class WriteEffects implements AfterWrites {
  readonly #worker: Pick<Worker, 'resourceUpdated'>
  readonly #desk: ProjectDesk
  readonly #parts: Foundation
  /** Sessions that have a backup of what was there before them. */
  readonly #backedUp = new WeakMap<OpenProject, Set<string>>()

  constructor(worker: Pick<Worker, 'resourceUpdated'>, desk: ProjectDesk, parts: Foundation) {
    this.#worker = worker
    this.#desk = desk
    this.#parts = parts
  }

  async beforeFirst({ project, session }: ProjectCall): Promise<void> {
    const sessions = this.#backedUp.get(project) ?? new Set()
    this.#backedUp.set(project, sessions)
    if (sessions.has(session)) return
    await project.writes.alone(async () => {
      // Of two writes at once the first one has made it.
      if (sessions.has(session)) return
      const name = await project.backUp(this.#parts.config.backups)
      sessions.add(session)
      this.#parts.log.info({ project: project.path, backup: name }, 'backup made')
    })
  }

  async written(call: ProjectCall, { name }: WriteTool, writer: Writer): Promise<void> {
    const { project, session, actor } = call
    if (writer.changes === 0) return
    for (const move of writer.fileMoves) await this.#move(project, move)
    const { changeSetId } = writer.act
    this.#parts.log.info(
      { tool: name, actor: actor.name, project: project.path, change_set_id: changeSetId, rows: writer.changes },
      'project changed',
    )
    this.#tellOthers(project, session)
  }

  async operated({ project, session, actor }: ProjectCall, { name, changesProject }: FileTool): Promise<void> {
    this.#parts.log.info({ tool: name, actor: actor.name, project: project.path }, 'operation done')
    if (!changesProject) return
    project.refresh()
    await this.mirror(project)
    this.#tellOthers(project, session)
  }

  async queued({ project, actor }: ProjectCall, { id, kind }: Suggestion): Promise<void> {
    this.#parts.log.info(
      { suggestion: id, kind, actor: actor.name, project: project.path },
      'a suggestion waits for a person',
    )
    await this.mirror(project)
  }

  async decided({ project, session }: ProjectCall, _suggestionId: string): Promise<void> {
    await this.mirror(project)
    this.#tellOthers(project, session)
  }

  /** Of what waits in which project, a copy is kept for lists over all projects. It is made anew whenever the project opens. */
  async mirror(project: OpenProject): Promise<void> {
    const { store, log } = this.#parts
    try {
      await store.transaction((tx) => {
        // Read here, so that of two copies the later one is of the later state.
        const suggestions = suggestionsOf(project.db).map((record) => ({
          ...record,
          createdAt: record.created_at,
          record: { ...record },
        }))
        return mirrorSuggestions(tx, project.path, suggestions)
      })
    } catch (error) {
      log.error(
        { err: error, project: project.path },
        "the index of suggestions can't be written; opening the project again mends it",
      )
    }
  }

  #tellOthers(project: OpenProject, session: string): void {
    for (const other of this.#desk.sessionsOf(project))
      if (other !== session) this.#worker.resourceUpdated(projectUri, other)
  }

  /** The rows say so already: what can't be moved stays where it is, and is named in the log. */
  async #move(project: OpenProject, { from, to }: FileMove): Promise<void> {
    try {
      await moveInside(project.path, from, to)
    } catch (error) {
      this.#parts.log.warn({ err: error, project: project.path, from, to }, 'a file of the project could not be moved')
    }
  }
}
