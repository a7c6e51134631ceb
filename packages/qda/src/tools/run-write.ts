import { hashOfJson } from '@callboard/worker/canonical-json'
import { affectedHashOf, tryOut, writerOf } from '../approvals/affected.js'
import { PreviewTokens } from '../approvals/preview-tokens.js'
import { addSuggestion } from '../approvals/suggestions.js'
import { finishChangeSet } from '../changes/change-sets.js'
import { findReply, keepReply, type RequestIdentity } from '../changes/request-replies.js'
import { QdaFailure } from '../failure.js'
import type { Foundation } from '../foundation.js'
import { RolledBack } from '../project/write-turns.js'
import type { AfterWrites } from '../sessions/after-writes.js'
import { Answer, type FileTool, type Level, type ProjectCall, type WriteTool } from './qda-tool.js'

type AnyWrite = WriteTool | FileTool
type Data = { readonly [key: string]: unknown }

/** A write with its arguments, all that was prepared for it, and which call it repeats if it does. */
interface Run {
  readonly tool: AnyWrite
  readonly input: Data
  readonly call: ProjectCall
  readonly prepared: unknown
  readonly identity: RequestIdentity
}

/** What is common to all writes: one effect for each request, previews, who may, the queue, the change set, and who is told. */
export class WriteRunner {
  readonly #config: Foundation['config']
  readonly #after: AfterWrites
  readonly #tokens = new PreviewTokens()

  constructor({ config }: Pick<Foundation, 'config'>, after: AfterWrites) {
    this.#config = config
    this.#after = after
  }

  async run(tool: AnyWrite, input: Data, call: ProjectCall): Promise<unknown> {
    const identity = identityOf(tool, input, call)
    const known = findReply(call.project.db, identity, call.now)
    if (known !== undefined) return replayed(known)
    const prepared = await tool.prepare?.(input, call)
    try {
      return await this.#runPrepared({ tool, input, call, prepared, identity })
    } finally {
      await tool.release?.(prepared)
    }
  }

  async #runPrepared(run: Run): Promise<unknown> {
    const { tool, input, call } = run
    const level = this.#levelOf(run)
    if (input['dry_run'] === true) return this.#dryRun(run)
    if (input['confirm'] !== true && needsConfirm(run, level)) return this.#preview(run, level)
    if (tool.kind === 'rows' || tool.changesProject) call.project.requireWritable()
    const affectedHash = this.#redeem(run, level)
    if (!call.actor.isOperator && (level === 'T4' || (level === 'T3' && this.#config.approval === 'human')))
      return this.#queue(run)
    return tool.kind === 'rows' ? this.#apply({ ...run, tool }, affectedHash) : this.#operate({ ...run, tool })
  }

  /** The operator's word holds over the tool's own. */
  #levelOf({ tool, input, call, prepared }: Run): Level {
    const configured = this.#config.levels.get(tool.name)
    if (configured === 'off') throw switchedOff(tool.name)
    if (configured !== undefined) return configured
    return typeof tool.level === 'function' ? tool.level(input, call, prepared) : (tool.level ?? 'T2')
  }

  async #dryRun({ tool, input, call, prepared }: Run): Promise<unknown> {
    if (tool.kind === 'operation') return withData(await tool.operate(input, call, prepared, true), { dry_run: true })
    call.project.requireWritable()
    const { returned } = await call.project.writes.transaction(() => {
      throw new RolledBack(tryOut(tool, input, call, prepared))
    }, call.context.signal)
    return withData(returned, { change_set_id: null, dry_run: true })
  }

  async #preview(run: Run, level: Level): Promise<unknown> {
    const { tool, input, call, prepared } = run
    const tried = tool.kind === 'rows' && call.project.whyReadOnly === undefined ? await this.#tryOut(run) : undefined
    const shown = tool.preview?.(input, call, prepared) ?? dataOf(tried?.returned)
    const isAsked = level === 'T3' || level === 'T4'
    return {
      preview: true,
      ...(shown as Data),
      ...(isAsked && { requires_approval: true }),
      preview_token:
        tried === undefined ? null : this.#tokens.issue({ ...about(run), affectedHash: tried.affectedHash }, call.now),
    }
  }

  #tryOut({ tool, input, call, prepared }: Run) {
    return call.project.writes.transaction(() => {
      throw new RolledBack(tryOut(tool as WriteTool, input, call, prepared))
    }, call.context.signal) as Promise<ReturnType<typeof tryOut>>
  }

  /** The hash that the rows must still have; undefined: no preview is referred to. */
  #redeem(run: Run, level: Level): string | undefined {
    const token = run.input['preview_token']
    if (typeof token === 'string') {
      const hash = this.#tokens.redeem(token, about(run), run.call.now)
      if (hash === undefined)
        throw stale('This preview_token is of another call, was used, or is older than 15 minutes')
      return hash
    }
    if (this.#config.requirePreviewToken && needsConfirm(run, level)) throw stale('A preview_token is needed here')
    return undefined
  }

  async #queue({ tool, input, call, prepared }: Run): Promise<unknown> {
    const { preview_token: _, request_id: __, dry_run: ___, ...payload } = input
    const { actor, now, project } = call
    const suggestion = await project.writes.transaction(() => {
      const fingerprint =
        tool.kind === 'rows'
          ? tryOut(tool, input, call, prepared).affectedHash
          : hashOfJson({ before: [], basis: tool.basis?.(input, call, prepared) ?? null })
      return addSuggestion(project.db, { kind: tool.name, tool: tool.name, payload, fingerprint }, actor.name, now)
    }, call.context.signal)
    await this.#after.queued(call, suggestion)
    return {
      status: 'pending_approval',
      suggestion_id: suggestion.id,
      requires_approval: true,
      message: 'A person decides on this; get_suggestion tells what became of it',
    }
  }

  async #apply(run: Run & { readonly tool: WriteTool }, affectedHash: string | undefined): Promise<unknown> {
    const { tool, input, call, prepared, identity } = run
    const { project, now, session } = call
    await this.#after.beforeFirst(call)
    const done = await project.writes.transaction(() => {
      const known = findReply(project.db, identity, now)
      if (known !== undefined) return { reply: replayed(known) }
      const writer = writerOf(tool.name, call)
      const returned = tool.apply(writer, input, call, prepared)
      if (affectedHash !== undefined && affectedHash !== affectedHashOf(writer, tool, input, call, prepared))
        throw stale('What the preview showed has changed since')
      const reply = withData(returned, { change_set_id: finishChangeSet(writer, session) })
      keepReply(project.db, identity, plainOf(reply), now)
      return { reply, writer }
    }, call.context.signal)
    if (done.writer !== undefined) await this.#after.written(call, tool, done.writer)
    await tool.afterwards?.(call)
    return done.reply
  }

  async #operate({ tool, input, call, prepared, identity }: Run & { readonly tool: FileTool }): Promise<unknown> {
    if (tool.changesProject) await this.#after.beforeFirst(call)
    const { project, now } = call
    const reply = await project.writes.alone(() => tool.operate(input, call, prepared, false))
    if (project.whyReadOnly === undefined)
      await project.writes.transaction(() => keepReply(project.db, identity, plainOf(reply), now))
    await this.#after.operated(call, tool)
    return reply
  }
}

function needsConfirm({ tool, input, call, prepared }: Run, level: Level): boolean {
  return tool.needsConfirm?.(input, call, prepared) ?? (tool.preview !== undefined || level === 'T3')
}

/** The argument, then the key of the request, then the call itself. */
function identityOf(tool: AnyWrite, input: Data, { actor, context }: ProjectCall): RequestIdentity {
  const { request_id: given, ...asked } = input
  return {
    actor: actor.name,
    tool: tool.name,
    key: typeof given === 'string' ? given : context.idempotencyKey,
    argumentsHash: hashOfJson(asked),
  }
}

function about({ tool, input, call }: Run) {
  const { confirm: _, preview_token: __, request_id: ___, dry_run: ____, ...asked } = input
  return {
    tool: tool.name,
    actor: call.actor.name,
    projectPath: call.project.path,
    argumentsHash: hashOfJson(asked),
  }
}

export const switchedOff = (tool: string): QdaFailure =>
  new QdaFailure(
    'PERMISSION_DENIED',
    `${tool} is switched off here; a person can change that in the configuration (qda.levels)`,
  )

const stale = (why: string): QdaFailure =>
  new QdaFailure(
    'PREVIEW_STALE',
    `${why}; nothing was changed. Call without confirm for a new preview, and confirm that one`,
  )

const dataOf = (returned: unknown): unknown => (returned instanceof Answer ? returned.data : returned)

function withData(returned: unknown, more: Data): unknown {
  if (returned instanceof Answer) return new Answer(withData(returned.data, more), returned.beside)
  return Array.isArray(returned) ? returned : { ...(returned as Data), ...more }
}

/** As it is kept. No write answers with something beside its data. */
const plainOf = (reply: unknown): object => dataOf(reply) as object

const replayed = (reply: object): object => ({ ...reply, replayed: true })
