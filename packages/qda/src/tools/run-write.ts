import { hashOfJson } from '@callboard/worker/canonical-json'
import { type Asked, affectedHashOf, type Tried, tryOut, writerOf } from '../approvals/affected.js'
import { PreviewTokens, type Redeemed } from '../approvals/preview-tokens.js'
import { addSuggestion } from '../approvals/suggestions.js'
import { finishChangeSet } from '../changes/change-sets.js'
import { findReply, keepReply, type RequestIdentity } from '../changes/request-replies.js'
import { QdaFailure } from '../failure.js'
import type { Foundation } from '../foundation.js'
import { RolledBack } from '../project/write-turns.js'
import type { AfterWrites } from '../sessions/after-writes.js'
import { Answer, type Arguments, type FileTool, type Level, type ProjectCall, type WriteTool } from './qda-tool.js'

type AnyWrite = WriteTool | FileTool

/** A write that was asked for. */
interface Run<Tool extends AnyWrite = AnyWrite> extends Asked<Tool> {
  /** Undefined: no later call can say that it repeats this one, so that nobody keeps its answer. */
  readonly identity: RequestIdentity | undefined
}

/** What is common to all writes: one effect for each request, previews, who may, the queue, the change set, and who is told. */
export class WriteRunner {
  readonly #config: Foundation['config']
  readonly #log: Foundation['log']
  readonly #after: AfterWrites
  readonly #tokens = new PreviewTokens()

  constructor({ config, log }: Pick<Foundation, 'config' | 'log'>, after: AfterWrites) {
    this.#config = config
    this.#log = log
    this.#after = after
  }

  async run(tool: AnyWrite, input: Arguments, call: ProjectCall): Promise<unknown> {
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
    const redeemed = this.#redeem(run, level)
    try {
      return await this.#execute(run, level, redeemed?.affectedHash)
    } catch (error) {
      redeemed?.giveBack()
      throw error
    }
  }

  /** An operator's own call is the decision of a person. */
  #execute(run: Run, level: Level, affectedHash: string | undefined): Promise<unknown> {
    const waits = level === 'T4' || (level === 'T3' && this.#config.approval === 'human')
    if (waits && !run.call.actor.isOperator) return this.#queue(run, affectedHash)
    const { tool } = run
    return tool.kind === 'rows'
      ? this.#apply({ ...run, tool }, affectedHash)
      : this.#operate({ ...run, tool }, affectedHash)
  }

  /** The operator's word holds over the tool's own. */
  #levelOf({ tool, input, call, prepared }: Run): Level {
    const configured = this.#config.levels.get(tool.name)
    if (configured === 'off') throw switchedOff(tool.name)
    if (configured !== undefined) return configured
    return typeof tool.level === 'function' ? tool.level(input, call, prepared) : (tool.level ?? 'T2')
  }

  async #dryRun(run: Run): Promise<unknown> {
    if (run.tool.kind === 'rows' || run.tool.changesProject) run.call.project.requireWritable()
    const { returned } = await this.#tryAlone(run)
    return withData(returned, { change_set_id: null, dry_run: true })
  }

  /** Changes nothing. */
  async #tryAlone(run: Run): Promise<Tried> {
    const { tool, input, call, prepared } = run
    const { project, context } = call
    if (tool.kind === 'operation')
      return { returned: await tool.operate(input, call, prepared, true), affectedHash: affectedHashOf(run) }
    return project.writes.transaction<Tried>(() => {
      throw new RolledBack(tryOut({ ...run, tool }))
    }, context.signal)
  }

  /** Where nothing can be written, it shows what it can all the same, if the tool can without trying. */
  async #preview(run: Run, level: Level): Promise<unknown> {
    const { tool, input, call, prepared } = run
    if (tool.preview === undefined && tool.kind === 'rows') call.project.requireWritable()
    const isPossible = tool.kind === 'operation' || call.project.whyReadOnly === undefined
    const tried = isPossible ? await this.#tryAlone(run) : undefined
    const shown = tool.preview?.(input, call, prepared) ?? dataOf(tried?.returned)
    const isAsked = level === 'T3' || level === 'T4'
    const token = tried && this.#tokens.issue({ ...about(run), affectedHash: tried.affectedHash }, call.now)
    return {
      preview: true,
      ...(shown as Arguments),
      ...(!('message' in (shown as Arguments)) && { message: nextStep }),
      ...(isAsked && { requires_approval: true }),
      preview_token: token ?? null,
    }
  }

  /** Undefined: no preview is referred to. */
  #redeem(run: Run, level: Level): Redeemed | undefined {
    const token = run.input['preview_token']
    if (typeof token === 'string') {
      const redeemed = this.#tokens.redeem(token, about(run), run.call.now)
      if (redeemed !== undefined) return redeemed
      throw stale('This preview_token is of another call, was used, or is older than 15 minutes')
    }
    if (this.#config.requirePreviewToken && needsConfirm(run, level)) throw stale('A preview_token is needed here')
    return undefined
  }

  async #queue(run: Run, affectedHash: string | undefined): Promise<unknown> {
    const { tool, call, identity } = run
    const { actor, now, project } = call
    project.requireWritable()
    const queued = await project.writes.transaction(() => {
      const known = findReply(project.db, identity, now)
      if (known !== undefined) return { reply: replayed(known) }
      const fingerprint = tool.kind === 'rows' ? tryOut({ ...run, tool }).affectedHash : affectedHashOf(run)
      if (affectedHash !== undefined && affectedHash !== fingerprint) throw changedSince()
      const proposed = { kind: tool.name, tool: tool.name, payload: payloadOf(run), fingerprint, about: aboutOf(run) }
      const suggestion = addSuggestion(project.db, proposed, actor.name, now)
      const reply = {
        status: 'pending_approval',
        suggestion_id: suggestion.id,
        requires_approval: true,
        message: 'A person decides on this; get_suggestion tells what became of it',
        change_set_id: null,
      }
      keepReply(project.db, identity, reply, now)
      return { reply, suggestion }
    }, call.context.signal)
    if (queued.suggestion !== undefined) await this.#after.queued(call, queued.suggestion)
    return queued.reply
  }

  async #apply(run: Run<WriteTool>, affectedHash: string | undefined): Promise<unknown> {
    const { tool, input, call, prepared, identity } = run
    const { project, now, session } = call
    await this.#after.beforeFirst(call)
    const done = await project.writes.transaction(() => {
      const known = findReply(project.db, identity, now)
      if (known !== undefined) return { reply: replayed(known) }
      const writer = writerOf(tool.name, call)
      const returned = tool.apply(writer, input, call, prepared)
      if (affectedHash !== undefined && affectedHash !== affectedHashOf(run, writer)) throw changedSince()
      const reply = withData(returned, { change_set_id: finishChangeSet(writer, session) })
      keepReply(project.db, identity, plainOf(reply), now)
      if (writer.hasTouched('source')) project.texts.clear()
      return { reply, writer }
    }, call.context.signal)
    if (done.writer !== undefined) {
      await this.#after.written(call, tool, done.writer)
      await tool.afterwards?.(call)
    }
    return done.reply
  }

  async #operate(run: Run<FileTool>, affectedHash: string | undefined): Promise<unknown> {
    const { tool, input, call, prepared, identity } = run
    const { project, now } = call
    if (tool.changesProject && tool.backsUpItself !== true) await this.#after.beforeFirst(call)
    const done = await project.writes.alone(async (transact) => {
      const known = findReply(project.db, identity, now)
      if (known !== undefined) return { reply: replayed(known), isNew: false }
      if (affectedHash !== undefined && affectedHash !== affectedHashOf(run)) throw changedSince()
      const reply = withData(await tool.operate(input, call, prepared, false), { change_set_id: null })
      if (project.whyReadOnly === undefined)
        await transact(() => keepReply(project.db, identity, plainOf(reply), now)).catch((error) =>
          // It is done, whatever becomes of that.
          this.#log.error({ err: error, tool: tool.name }, 'an answer could not be kept; a repeat would do it again'),
        )
      return { reply, isNew: true }
    }, call.context.signal)
    if (done.isNew) await this.#after.operated(call, tool)
    return done.reply
  }
}

function needsConfirm({ tool, input, call, prepared }: Run, level: Level): boolean {
  return tool.needsConfirm?.(input, call, prepared) ?? (tool.preview !== undefined || level === 'T3')
}

/**
 * By the argument, else by the key of the request. Without either the key is the call's own id: with that the hub alone repeats
 * a call, and only where the tool is marked as one whose repeat changes nothing more.
 */
function identityOf(tool: AnyWrite, input: Arguments, { actor, context }: ProjectCall): RequestIdentity | undefined {
  const { request_id: given, ...asked } = input
  const key = typeof given === 'string' ? given : context.idempotencyKey
  if (key === context.callId) return undefined
  return { actor: actor.name, tool: tool.name, key, argumentsHash: hashOfJson(asked) }
}

/** What a person decides on. */
function payloadOf({ input }: Run): Arguments {
  const { preview_token: _, request_id: __, dry_run: ___, ...payload } = input
  return payload
}

/** What he decides on is more than ids. */
function aboutOf({ tool, input, call, prepared }: Run): Arguments | undefined {
  return tool.describe?.(input, call, prepared) ?? (tool.preview?.(input, call, prepared) as Arguments | undefined)
}

function about(run: Run) {
  const { tool, call } = run
  const free = ['confirm', ...(tool.choices ?? [])]
  const asked = Object.fromEntries(Object.entries(payloadOf(run)).filter(([name]) => !free.includes(name)))
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

const changedSince = (): QdaFailure => stale('What the preview showed has changed since')

/** Where a tool's own preview says no more. */
const nextStep = 'Nothing is changed yet. Call again with confirm: true, and this preview_token, to do it'

const stale = (why: string): QdaFailure =>
  new QdaFailure(
    'PREVIEW_STALE',
    `${why}; nothing was changed. Call without confirm for a new preview, and confirm that one`,
  )

const dataOf = (returned: unknown): unknown => (returned instanceof Answer ? returned.data : returned)

function withData(returned: unknown, more: Arguments): unknown {
  if (returned instanceof Answer) return new Answer(withData(returned.data, more), returned.beside)
  return Array.isArray(returned) ? returned : { ...more, ...(returned as Arguments) }
}

/** As it is kept. No write answers with something beside its data. */
const plainOf = (reply: unknown): object => dataOf(reply) as object

const replayed = (reply: object): object => ({ ...reply, replayed: true })
