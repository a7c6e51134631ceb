import { utcText } from '@callboard/worker/utc-text'
import type { Group } from '../groups/group.js'
import type { RunIdentity } from '../hub/hub.js'
import { tokenMarginMs, tokenMsMax } from '../limits.js'
import { type PromptParts, promptFor } from '../runners/prompt-header.js'
import type { RunRequest } from '../runners/runner.js'
import type { TaskRow } from '../tasks/task-row.js'
import type { Claim, Work } from './claim-run.js'
import type { EngineParts } from './engine-parts.js'
import type { RunRow } from './run-row.js'

export function requestOf(
  parts: EngineParts,
  claim: Claim,
  token: string,
  onProcess: RunRequest['onProcess'],
): RunRequest {
  const { run, work, attempt } = claim
  const task = work.kind === 'task' ? work.task : undefined
  return {
    runId: run.id,
    attempt,
    idempotencyKey: slotKey(run),
    group: groupOf(parts, run),
    contextMode: task?.context_mode ?? 'group',
    prompt: promptOf(parts, claim),
    ...(task?.tool != null && { tool: { name: task.tool, args: argsOf(task) } }),
    token,
    timeoutMs: timeoutOf(parts, run.group_folder),
    onProcess,
  }
}

/** UTC: the same in every attempt, and for whoever reads it. */
export function slotKey(run: Pick<RunRow, 'id' | 'task_id' | 'scheduled_for'>): string {
  return run.task_id === null ? run.id : `${run.task_id}@${utcText(run.scheduled_for)}`
}

export function timeoutOf({ groups, config }: Pick<EngineParts, 'groups' | 'config'>, group: string): number {
  return groups.byFolder(group)?.timeoutMs ?? config.run_timeout_ms
}

/** A little longer than the run may take; hubs give none for more than a day. */
export function tokenMsOf(parts: Pick<EngineParts, 'groups' | 'config'>, group: string): number {
  return Math.min(timeoutOf(parts, group) + tokenMarginMs, tokenMsMax)
}

/** As whom an attempt calls back: as its creator in the creator's own group, else as the group itself. */
export function identityOf(run: RunRow, attempt: number, task: TaskRow | undefined): RunIdentity {
  const creator = task !== undefined && task.creator_group === run.group_folder ? task.created_by : ''
  const agent = creator.startsWith('agent:') ? creator.slice('agent:'.length) : run.group_folder
  return { agent, group: run.group_folder, runId: run.id, attempt, triggerDepth: run.depth }
}

function groupOf({ groups }: EngineParts, run: RunRow): Group {
  const group = groups.byFolder(run.group_folder)
  if (group === undefined) throw new Error(`The group ${run.group_folder} is gone.`)
  return group
}

function argsOf(task: TaskRow): { readonly [key: string]: unknown } {
  return JSON.parse(task.args ?? '{}') as { readonly [key: string]: unknown }
}

function promptOf(parts: EngineParts, { run, work, attempt }: Claim): string {
  return promptFor({
    ...saidOf(work, run),
    scheduledFor: run.scheduled_for,
    timeZone: work.kind === 'task' ? work.task.timezone : parts.timeZone,
    attempt,
    lateMs: run.late_ms,
    triggerDepth: run.depth,
  })
}

function saidOf(work: Work, run: RunRow): Pick<PromptParts, 'source' | 'sourceGroup' | 'deliver' | 'text'> {
  switch (work.kind) {
    case 'task': {
      const { id, name, prompt, deliver, creator_group } = work.task
      return {
        source: { kind: 'task', id, ...(name !== null && { name }) },
        sourceGroup: creator_group,
        deliver,
        text: prompt,
      }
    }
    case 'trigger':
      return {
        source: { kind: 'trigger', id: run.trigger_id!, name: work.subject },
        sourceGroup: work.source,
        text: work.body,
      }
    case 'mail':
      return { source: { kind: 'mail', id: run.mail_id!, name: work.subject }, text: work.text }
  }
}
