import { finishChangeSet } from '../changes/change-sets.js'
import { QdaFailure } from '../failure.js'
import type { OpenProject } from '../project/open-project.js'
import type { AfterWrites } from '../sessions/after-writes.js'
import { coderNameOf } from '../tools/actor.js'
import { Answer, type Call, type FileTool, type ProjectCall, type WriteTool } from '../tools/qda-tool.js'
import { readInput } from '../tools/read-input.js'
import { type Asked, affectedHashOf, tryOut, writerOf } from './affected.js'
import { alreadyDecided, decideSuggestion, findSuggestion, type Suggestion } from './suggestions.js'

export interface Decided {
  readonly id: string
  readonly status: 'approved' | 'rejected' | 'stale'
  readonly result: unknown
}

/** A suggestion that is not what it was about any more. */
class Stale extends Error {}

/** People's decisions on what agents suggest. */
export class Decisions {
  readonly #tools = new Map<string, WriteTool | FileTool>()
  readonly #after: AfterWrites

  constructor(after: AfterWrites) {
    this.#after = after
  }

  /** The tools that suggestions may be calls of. Those that decide are tools themselves, so that these come later. */
  decideOn(tools: readonly (WriteTool | FileTool)[]): void {
    for (const tool of tools) this.#tools.set(tool.name, tool)
  }

  /** Does what was suggested, in the name of who did. `more`: arguments that the operator adds. */
  async approve(
    project: OpenProject,
    id: string,
    operator: Call,
    more: { readonly [key: string]: unknown } = {},
  ): Promise<Decided> {
    const suggestion = pendingOne(project, id)
    project.requireWritable()
    const tool = this.#tools.get(suggestion.tool)
    if (tool === undefined) throw new QdaFailure('SUGGESTION_NOT_FOUND', `This Callboard has no ${suggestion.tool}`)
    const call = inNameOf(suggestion, operator, project)
    try {
      const isConfirmed = 'confirm' in tool.input.shape && { confirm: true }
      const asSuggested = await readInput(tool, { ...suggestion.payload, ...isConfirmed })
      const input = Object.keys(more).length === 0 ? asSuggested : await readInput(tool, { ...asSuggested, ...more })
      const prepared = await tool.prepare?.(input, call)
      try {
        const result = await this.#execute({ tool, input, call, prepared, asSuggested, suggestion, operator })
        return { id, status: 'approved', result }
      } finally {
        await tool.release?.(prepared)
      }
    } catch (error) {
      if (!isStale(error)) throw error
      const reason = error instanceof QdaFailure ? error.message : 'what it is about has changed since'
      await project.writes.transaction(() =>
        decideSuggestion(project.db, id, { status: 'stale', by: operator.actor.name, reason }, operator.now),
      )
      await this.#after.decided(call, id)
      return { id, status: 'stale', result: { reason } }
    }
  }

  async reject(project: OpenProject, id: string, operator: Call, reason: string): Promise<Decided> {
    project.requireWritable()
    const suggestion = pendingOne(project, id)
    const decision = { status: 'rejected', by: operator.actor.name, reason } as const
    await project.writes.transaction(() => decideSuggestion(project.db, id, decision, operator.now))
    await this.#after.decided(inNameOf(suggestion, operator, project), id)
    return { id, status: 'rejected', result: null }
  }

  async #execute(approval: Approval): Promise<unknown> {
    const { tool, operator, call } = approval
    const { project } = call
    if (tool.kind === 'rows' || (tool.changesProject && tool.backsUpItself !== true))
      await this.#after.beforeFirst({ ...operator, project })
    const result =
      tool.kind === 'rows' ? await this.#apply({ ...approval, tool }) : await this.#operate({ ...approval, tool })
    await this.#after.decided(call, approval.suggestion.id)
    return result
  }

  async #apply(approval: Approval<WriteTool>): Promise<unknown> {
    const { tool, input, call, prepared, asSuggested, suggestion } = approval
    const { project } = call
    const { result, writer } = await project.writes.transaction(() => {
      pendingOne(project, suggestion.id)
      const writer = writerOf(tool.name, call)
      // What the operator adds may change more rows than were suggested: what was is looked at alone.
      const tried = input === asSuggested ? undefined : tryOut({ ...approval, input: asSuggested })
      const returned = tool.apply(writer, input, call, prepared)
      if ((tried?.affectedHash ?? affectedHashOf(approval, writer)) !== suggestion.fingerprint) throw new Stale()
      const result = { ...dataOf(returned), change_set_id: finishChangeSet(writer, call.session) }
      decideSuggestion(project.db, suggestion.id, approvedWith(result, approval), call.now)
      if (writer.hasTouched('source')) project.texts.clear()
      return { result, writer }
    })
    await this.#after.written(call, tool, writer)
    return result
  }

  /** What it puts back may be from before the suggestion, which then is put in again. */
  async #operate(approval: Approval<FileTool>): Promise<unknown> {
    const { tool, input, call, prepared, suggestion } = approval
    const { project } = call
    const result = await project.writes.alone(async (transact) => {
      pendingOne(project, suggestion.id)
      if (affectedHashOf(approval) !== suggestion.fingerprint) throw new Stale()
      const done = dataOf(await tool.operate(input, call, prepared, false))
      await transact(() => {
        keepAsPending(project, suggestion)
        decideSuggestion(project.db, suggestion.id, approvedWith(done, approval), call.now)
      })
      return done
    })
    await this.#after.operated(call, tool)
    return result
  }
}

interface Approval<Tool extends WriteTool | FileTool = WriteTool | FileTool> extends Asked<Tool> {
  readonly suggestion: Suggestion
  readonly operator: Call
  /** The arguments without what the operator adds. */
  readonly asSuggested: Asked['input']
}

const approvedWith = (result: object, { operator }: Approval) =>
  ({ status: 'approved', by: operator.actor.name, result }) as const

function pendingOne({ db }: OpenProject, id: string): Suggestion {
  const suggestion = findSuggestion(db, id)
  if (suggestion?.status !== 'pending') throw alreadyDecided(suggestion)
  return suggestion
}

function inNameOf({ actor }: Suggestion, operator: Call, project: OpenProject): ProjectCall {
  return { ...operator, project, actor: { name: actor, coder: coderNameOf(actor), isOperator: false } }
}

function keepAsPending({ db }: OpenProject, suggestion: Suggestion): void {
  const { id, kind, tool, payload, fingerprint, actor, rationale, about, created_at } = suggestion
  db.run(
    `INSERT OR IGNORE INTO side.suggestion (id, kind, tool, payload, fingerprints, actor, rationale, about, created_at, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
    ...[id, kind, tool, JSON.stringify(payload), fingerprint, actor, rationale, JSON.stringify(about), created_at],
  )
}

const dataOf = (returned: unknown): object => (returned instanceof Answer ? returned.data : returned) as object

/** Something that it is about is gone, or reads differently. */
function isStale(error: unknown): boolean {
  if (error instanceof Stale) return true
  if (!(error instanceof QdaFailure)) return false
  return (
    /^(SOURCE|CODE|SEGMENT|FOLDER|CATEGORY|CASE|JOURNAL|BACKUP|CHANGE_SET)_NOT_FOUND$/.test(error.code) ||
    ['TEXT_CHANGED', 'INVALID_POSITION', 'QUOTE_NOT_FOUND', 'AMBIGUOUS_QUOTE', 'PREVIEW_STALE'].includes(error.code)
  )
}
