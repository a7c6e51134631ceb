import type { Groups } from '../groups/group.js'
import type { StartableTrigger } from '../triggers/start-trigger.js'
import { triggerBodyHash } from '../triggers/trigger-body.js'
import { type TokenReading, type TriggerPayload, triggerHeader } from '../triggers/trigger-token.js'
import { dmarcPassed } from './authentication-results.js'
import { domainOf, ownIdOf } from './message-id.js'
import type { IncomingMail } from './read-mail.js'

/** What the decision rests on beside the mail itself. */
export interface MailFacts {
  /** UTC ms. The mail's own date decides nothing. */
  readonly now: number
  readonly groups: Pick<Groups, 'byTag' | 'admin'>
  readonly mailAddress: string | undefined
  readonly notificationEmail: string | undefined
  readonly hmacKey: string | undefined
  readonly trustedAuthservId: string | undefined
  /** Of the mail's one trigger header; undefined: it has none. */
  readonly token: TokenReading | undefined
  /** The stored trigger that a valid token names. */
  readonly trigger: StoredTrigger | undefined
}

export interface StoredTrigger extends StartableTrigger {
  readonly isConsumed: boolean
}

export type Verdict =
  | { readonly kind: 'trigger'; readonly trigger: StoredTrigger }
  /** From the person that this worker works for. */
  | { readonly kind: 'person'; readonly group: string }
  | { readonly kind: 'unknown_tag'; readonly tag: string }
  | { readonly kind: 'rejected'; readonly reason: RejectReason }
  /** An automatic mail, which nobody must answer. */
  | { readonly kind: 'dropped'; readonly reason: DropReason }

export type RejectReason =
  | 'token_malformed'
  | 'token_forged'
  | 'token_expired'
  | 'trigger_unknown'
  | 'trigger_consumed'
  | 'trigger_altered'
  | 'sender_unknown'
  | 'sender_unproven'
  | 'too_large'
  | 'unreadable'
  | 'unavailable'

export type DropReason = 'own_mail' | 'auto_submitted' | 'bulk' | 'null_return_path' | 'mailer_daemon'

/** Pure: the same mail and facts give the same verdict. */
export function judgeMail(mail: IncomingMail, facts: MailFacts): Verdict {
  if (facts.token !== undefined) return judgeTrigger(mail, facts.token, facts)
  const loop = loopReason(mail, facts)
  if (loop !== undefined) return { kind: 'dropped', reason: loop }
  return judgePerson(mail, facts)
}

/** The trigger header of a mail; two of them are none that could be trusted. */
export function triggerTokenOf({ headers }: IncomingMail): string | undefined {
  const tokens = headers.filter(({ name }) => name === triggerHeader.toLowerCase())
  return tokens.length === 0 ? undefined : tokens.length === 1 ? tokens[0]!.value : ''
}

function judgeTrigger(mail: IncomingMail, token: TokenReading, facts: MailFacts): Verdict {
  switch (token.kind) {
    case 'malformed':
      return rejected('token_malformed')
    case 'forged':
      return rejected('token_forged')
    case 'valid':
      return judgePayload(mail, token.payload, facts)
    default:
      return token satisfies never
  }
}

function judgePayload(mail: IncomingMail, payload: TriggerPayload, { now, groups, trigger }: MailFacts): Verdict {
  if (now >= payload.exp) return rejected('token_expired')
  if (trigger === undefined) return rejected('trigger_unknown')
  if (trigger.isConsumed) return rejected('trigger_consumed')
  const tag = leadingTag(mail.subject)
  const isWhole =
    tag !== undefined &&
    groups.byTag(tag)?.folder === payload.dst &&
    trigger.target === payload.dst &&
    trigger.source === payload.src &&
    trigger.depth === payload.depth &&
    triggerBodyHash(mail.text) === payload.body
  return isWhole ? { kind: 'trigger', trigger } : rejected('trigger_altered')
}

/** What no person has written must never start work, or two machines talk for ever. */
function loopReason(mail: IncomingMail, { mailAddress, hmacKey }: MailFacts): DropReason | undefined {
  const { autoSubmitted, precedence, returnPath, from } = mail
  if (isOwn(mail.messageId, mailAddress, hmacKey)) return 'own_mail'
  if (autoSubmitted !== undefined && firstWord(autoSubmitted) !== 'no') return 'auto_submitted'
  if (['bulk', 'list', 'junk'].includes(firstWord(precedence ?? ''))) return 'bulk'
  if (returnPath !== undefined && /^<\s*>/.test(returnPath)) return 'null_return_path'
  if (from?.startsWith('mailer-daemon@')) return 'mailer_daemon'
  return undefined
}

/** A sender address proves nothing; an answer to a mail that only this person got does, or the word of the own mail server. */
function judgePerson(mail: IncomingMail, facts: MailFacts): Verdict {
  const { notificationEmail, mailAddress, hmacKey, trustedAuthservId, groups } = facts
  const person = notificationEmail?.toLowerCase()
  if (person === undefined || mail.from !== person) return rejected('sender_unknown')
  const [topmost] = mail.authenticationResults
  const isVouchedFor =
    trustedAuthservId !== undefined &&
    topmost !== undefined &&
    dmarcPassed(topmost, trustedAuthservId, domainOf(person))
  if (!isOwn(mail.inReplyTo, mailAddress, hmacKey) && !isVouchedFor) return rejected('sender_unproven')
  const tag = leadingTag(mail.subject)
  if (tag === undefined) return { kind: 'person', group: groups.admin.folder }
  const group = groups.byTag(tag)
  return group === undefined ? { kind: 'unknown_tag', tag } : { kind: 'person', group: group.folder }
}

function isOwn(messageId: string | undefined, mailAddress: string | undefined, key: string | undefined): boolean {
  if (messageId === undefined || mailAddress === undefined || key === undefined) return false
  return ownIdOf(messageId, domainOf(mailAddress), key) !== undefined
}

/** Whatever stands in brackets at the very beginning, in lower case: `Re: [lab]` has none. */
function leadingTag(subject: string): string | undefined {
  return /^\s*\[([^\]]*)\]/.exec(subject)?.[1]?.trim().toLowerCase()
}

function firstWord(value: string): string {
  return (
    value
      .trim()
      .toLowerCase()
      .split(/[\s;(]/)[0] ?? ''
  )
}

function rejected(reason: RejectReason): Verdict {
  return { kind: 'rejected', reason }
}
