import type { SchedulerConfig } from '../config.js'
import type { Groups } from '../groups/group.js'
import { ownSubjectMax } from '../limits.js'
import { domainOf, signedMessageId } from '../mail/message-id.js'
import type { NewMail } from '../mail/outbox.js'
import { oneLine } from '../mail/outbox-row.js'
import { withoutInternal } from './internal-text.js'

/** What of a message its mail is made of. */
export interface MailedMessage {
  readonly id: string
  readonly group_folder: string
  readonly text: string
}

/** The mail of one message; only where mail is configured. */
export function messageMail(message: MailedMessage, config: SchedulerConfig, groups: Groups): NewMail {
  const text = withoutInternal(message.text)
  const tag = groups.byFolder(message.group_folder)?.tag ?? message.group_folder
  return {
    kind: 'notify',
    messageId: ownMessageId(message.id, config),
    to: config.notification_email!,
    subject: `[${tag}] ${firstWords(text, ownSubjectMax)}`,
    text,
    headers: automatic,
  }
}

export function ownMessageId(id: string, config: SchedulerConfig): string {
  return signedMessageId(id, domainOf(config.mail_address!), config.mail_hmac_key)
}

/** Asks vacation responders not to answer. */
export const automatic = { 'Auto-Submitted': 'auto-generated' } as const

/** The first line that says something, cut between words. */
export function firstWords(text: string, max: number): string {
  const line = oneLine(text.split('\n').find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? text)
  const characters = [...line]
  if (characters.length <= max) return line
  const cut = characters.slice(0, max - 1).join('')
  const space = cut.lastIndexOf(' ')
  return `${space > max / 2 ? cut.slice(0, space) : cut}…`
}
