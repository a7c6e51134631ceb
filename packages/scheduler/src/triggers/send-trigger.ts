import type { ToolError } from '@callboard/worker'
import type { Scheduling } from '../engine/scheduling.js'
import type { Foundation } from '../foundation.js'
import type { Group } from '../groups/group.js'
import { subjectSuffixMax } from '../limits.js'
import { missingForTriggers } from '../mail/mail-settings.js'
import type { Outbox } from '../mail/outbox.js'
import type { Database } from '../records/schema.js'
import { type RefusalCode, type RefusalDetails, refusal } from '../refusal.js'
import { type Admission, type AdmittedTrigger, admitTrigger } from './admit-trigger.js'
import { startTrigger } from './start-trigger.js'
import { triggerMail } from './trigger-mail.js'

export interface TriggerParts extends Pick<Foundation, 'config' | 'store' | 'clock' | 'newId' | 'groups'> {
  readonly outbox: Pick<Outbox, 'add' | 'sendNow'>
  readonly scheduling: Pick<Scheduling, 'queueRun' | 'wake'>
}

export interface TriggerRequest {
  /** Folder. */
  readonly source: string
  /** Of the caller's run; 0 without one. */
  readonly depth: number
  readonly tag: string
  readonly subjectSuffix: string
  readonly body: string
}

export interface SentTrigger {
  readonly trigger: AdmittedTrigger
  readonly target: Group
  /** Undefined: it was handed over in the database. */
  readonly outboxId?: string
}

/** Inside the caller's write transaction; throws a refusal, which leaves no trace in it. */
export async function sendTrigger(db: Database, parts: TriggerParts, request: TriggerRequest): Promise<SentTrigger> {
  const tag = readTag(request.tag)
  const suffix = readSuffix(request.subjectSuffix)
  const target = parts.groups.byTag(tag) ?? refuseUnknown(tag, parts)
  refuseWithoutMail(parts)
  const { source, depth, body } = request
  const subject = `[${target.tag}] ${suffix}`
  const trigger = admitted(await admitTrigger(db, parts, { source, target: target.folder, depth, subject, body }), tag)
  if (parts.config.trigger_transport === 'internal') {
    await startTrigger(db, parts, trigger, 'internal')
    return { trigger, target }
  }
  return { trigger, target, outboxId: await queueMail(db, parts, trigger) }
}

async function queueMail(db: Database, { config, outbox }: TriggerParts, trigger: AdmittedTrigger): Promise<string> {
  const { mail_address: address = '', mail_hmac_key: key = '' } = config
  const outboxId = await outbox.add(db, triggerMail(trigger, address, key))
  await db.updateTable('triggers').set({ outbox_id: outboxId }).where('id', '=', trigger.id).execute()
  return outboxId
}

function readTag(text: string): string {
  refuseControl('tag', text)
  const tag = text.trim().toLowerCase()
  if (/^[a-z0-9][a-z0-9_-]{0,31}$/.test(tag)) return tag
  throw refused('INVALID_ARGUMENT', `tag ${quoted(text)} is no tag: 1 to 32 of a-z, 0-9, _ and -, without brackets.`)
}

function readSuffix(text: string): string {
  refuseControl('subject_suffix', text)
  const suffix = text.trim()
  const length = [...suffix].length
  if (length > 0 && length <= subjectSuffixMax && !/\p{Surrogate}/u.test(suffix)) return suffix
  throw refused(
    'INVALID_ARGUMENT',
    `subject_suffix ${quoted(text)} must have 1 to ${subjectSuffixMax} characters of valid Unicode.`,
  )
}

/** Before anything is trimmed: a line end in a subject would begin a header of the caller's choice. */
function refuseControl(parameter: string, text: string): void {
  if (!/[\p{Cc}\u2028\u2029]/u.test(text)) return
  throw refused(
    'INVALID_ARGUMENT',
    `${parameter} ${quoted(text)} must be one line without control characters: remove them.`,
  )
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}

function refuseUnknown(tag: string, { groups }: TriggerParts): never {
  const tags = groups.all.map((group) => group.tag).sort()
  throw refused('NOT_FOUND', `No group has the tag "${tag}". Known tags: ${tags.join(', ')}.`, { known_tags: tags })
}

function refuseWithoutMail({ config }: TriggerParts): void {
  const missing = config.trigger_transport === 'mail' ? missingForTriggers(config) : []
  if (missing.length === 0) return
  throw refused(
    'NOT_CONFIGURED',
    `Triggers go by mail, and mail is not configured: set ${missing.join(', ')}, or TRIGGER_TRANSPORT=internal.`,
    { missing },
  )
}

function admitted(admission: Admission, tag: string): AdmittedTrigger {
  switch (admission.kind) {
    case 'admitted':
      return admission.trigger
    case 'too_deep':
      throw refused(
        'DEPTH_LIMIT',
        `This run is at trigger depth ${admission.depth}/${admission.depthMax}: it can't trigger another one. Finish the work here, or tell people with send_message.`,
        { depth: admission.depth, max: admission.depthMax },
      )
    case 'too_soon':
      throw refused('RATE_LIMITED', tooSoon(admission, tag), { retryAfterMs: admission.retryAfterMs })
    default:
      return admission satisfies never
  }
}

function tooSoon({ limit, retryAfterMs }: { limit: 'pair' | 'hour'; retryAfterMs: number }, tag: string): string {
  const again = `Try again in ${Math.ceil(retryAfterMs / 1000)} s; this attempt did not count.`
  return limit === 'pair'
    ? `This group has triggered [${tag}] a moment ago. ${again}`
    : `All groups together have used up the triggers of an hour. ${again}`
}

/** `event` is for the activity log. */
function refused(code: RefusalCode, message: string, details: RefusalDetails = {}): ToolError {
  return refusal(code, message, { ...details, event: 'trigger_refused' })
}
