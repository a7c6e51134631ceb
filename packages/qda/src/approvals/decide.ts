import { hashOfJson } from '@callboard/worker/canonical-json'
import { finishChangeSet } from '../changes/change-sets.js'
import type { Writer } from '../changes/writer.js'
import { QdaFailure } from '../failure.js'
import type { OpenProject } from '../project/open-project.js'
import type { AfterWrites } from '../sessions/after-writes.js'
import { coderNameOf } from '../tools/actor.js'
import {
  Answer,
  type Arguments,
  type Call,
  type FileTool,
  type ProjectCall,
  type WriteTool,
} from '../tools/qda-tool.js'
import { readInput } from '../tools/read-input.js'
import { affectedHashOf, tryOut, writerOf } from './affected.js'
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
      const result = await this.#carryOut(tool, input, { suggestion, call, operator, asSuggested })
      return { id, status: 'approved', result }
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

  async #carryOut(
    tool: WriteTool | FileTool,
    input: Arguments,
    approval: Omit<Approval, 'prepared'>,
  ): Promise<unknown> {
    const { call, operator } = approval
    const prepared = await tool.prepare?.(input, call)
    try {
      await this.#after.beforeFirst({ ...operator, project: call.project })
      return tool.kind === 'rows'
        ? await this.#apply(tool, input, { ...approval, prepared })
        : await this.#operate(tool, input, { ...approval, prepared })
    } finally {
      await tool.release?.(prepared)
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

  async #apply(
    tool: WriteTool,
    input: Arguments,
    { suggestion, call, operator, prepared, asSuggested }: Approval,
  ): Promise<unknown> {
    const { project, now } = call
    const { db } = project
    const { result, writer } = await project.writes.transaction(() => {
      pendingOne(project, suggestion.id)
      const writer: Writer = writerOf(tool.name, call)
      // What the operator adds may change more rows than were suggested: what was is looked at alone.
      const triedHash = input === asSuggested ? undefined : tryOut(tool, asSuggested, call, prepared).affectedHash
      const returned = tool.apply(writer, input, call, prepared)
      const hash = triedHash ?? affectedHashOf(writer, tool, input, call, prepared)
      if (hash !== suggestion.fingerprint) throw new Stale()
      const result = { ...dataOf(returned), change_set_id: finishChangeSet(writer, call.session) }
      decideSuggestion(db, suggestion.id, { status: 'approved', by: operator.actor.name, result }, now)
      return { result, writer }
    })
    await this.#after.written(call, tool, writer)
    await this.#after.decided(call, suggestion.id)
    return result
  }

  /** What it puts back may be from before the suggestion, which then is put in again. */
  async #operate(
    tool: FileTool,
    input: Arguments,
    { suggestion, call, operator, prepared }: Approval,
  ): Promise<unknown> {
    const { project, now } = call
    if (hashOfJson({ before: [], basis: tool.basis?.(input, call, prepared) ?? null }) !== suggestion.fingerprint)
      throw new Stale()
    const result = dataOf(await project.writes.alone(() => tool.operate(input, call, prepared, false)))
    await project.writes.transaction(() => {
      keepAsPending(project, suggestion)
      decideSuggestion(project.db, suggestion.id, { status: 'approved', by: operator.actor.name, result }, now)
    })
    await this.#after.operated(call, tool)
    await this.#after.decided(call, suggestion.id)
    return result
  }
}

interface Approval {
  readonly suggestion: Suggestion
  readonly call: ProjectCall
  readonly operator: Call
  readonly prepared: unknown
  /** The arguments without what the operator adds. */
  readonly asSuggested: Arguments
}

function pendingOne({ db }: OpenProject, id: string): Suggestion {
  const suggestion = findSuggestion(db, id)
  if (suggestion?.status !== 'pending') throw alreadyDecided(suggestion)
  return suggestion
}

function inNameOf({ actor }: Suggestion, operator: Call, project: OpenProject): ProjectCall {
  return { ...operator, project, actor: { name: actor, coder: coderNameOf(actor), isOperator: false } }
}

function keepAsPending({ db }: OpenProject, suggestion: Suggestion): void {
  const { id, kind, tool, payload, fingerprint, actor, rationale, created_at } = suggestion
  db.run(
    `INSERT OR IGNORE INTO side.suggestion (id, kind, tool, payload, fingerprints, actor, rationale, created_at, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
    ...[id, kind, tool, JSON.stringify(payload), fingerprint, actor, rationale, created_at],
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
