import type { CallRecord } from '../broker/call-record.js'
import type { Notice } from '../broker/effects.js'
import type { HubConfig } from '../config.js'
import type { Logger } from '../hub-log.js'
import type { Secrets } from '../secrets.js'
import { type AuditCounts, type AuditJournal, openJournal } from './audit-journal.js'
import type { Answer } from './call-members.js'

/** What the hub tells its journal. */
export interface AuditOutlet {
  readonly counts: AuditCounts
  readonly refuses: () => boolean
  call(record: CallRecord): void
  /** UTF-8 JSON `{ inputResponses }`. */
  answered(call: string, body: Uint8Array): void
  notice(notice: Notice): void
  close(): Promise<void>
}

/** Undefined: the configuration wants none. @throws StartError */
export async function auditOutlet(
  { config, version, log }: { readonly config: HubConfig; readonly version: string; readonly log: Logger },
  secrets: Secrets,
  now: () => number,
): Promise<AuditOutlet | undefined> {
  if (config.audit === undefined) return undefined
  const tokens = Object.values(config.agents).flatMap(({ token }) => (token === undefined ? [] : [token]))
  const known = [secrets.signIn, secrets.operator, secrets.session, secrets.local, ...tokens]
  const journal = await openJournal({ config: config.audit, version, log, secrets: known, now })
  return {
    get counts() {
      return journal.counts
    },
    refuses: journal.refuses,
    call: (record) => journal.call(record),
    answered: (call, body) => {
      const answer = answerOf(body)
      if (answer !== undefined) journal.answered(call, answer)
    },
    notice: (notice) => noteOf(journal, notice),
    close: () => journal.close(),
  }
}

/** Who signed in, was lost and was refused, and that policy, keys, pins or tokens are others. */
function noteOf(journal: AuditJournal, { kind, ...fields }: Notice): void {
  switch (kind) {
    case 'setting_changed':
      return journal.note('changed', fields)
    case 'worker_joined':
    case 'worker_left':
    case 'sign_in_refused':
      return journal.note(kind, fields)
    default:
      return
  }
}

const answers: Readonly<Record<string, Answer>> = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' }

/** Of several questions asked at once the one that says most against it. */
function answerOf(body: Uint8Array): Answer | undefined {
  try {
    const { inputResponses } = JSON.parse(Buffer.from(body).toString('utf8')) as { inputResponses: object }
    const given = Object.values(inputResponses).flatMap((each: { readonly action?: string } | null) => {
      const answer = answers[each?.action ?? '']
      return answer === undefined ? [] : [answer]
    })
    return (['cancelled', 'declined', 'accepted'] as const).find((each) => given.includes(each))
  } catch {
    return undefined
  }
}
