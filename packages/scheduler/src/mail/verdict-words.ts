import type { DropReason, RejectReason } from './judge-mail.js'

/** For the log: why nothing was started. */
export const rejectWords: { readonly [Reason in RejectReason]: string } = {
  token_malformed: 'its trigger header is no token, or it has several',
  token_forged: 'its trigger header is not signed with MAIL_HMAC_KEY',
  token_expired: 'its trigger has expired',
  trigger_unknown: 'its trigger is not in this database',
  trigger_consumed: 'its trigger has already been received',
  trigger_altered: 'its subject or text is not that of its trigger',
  sender_unknown: 'it is not from NOTIFICATION_EMAIL',
  sender_unproven:
    'nothing proves its sender: answer a mail of this system, or set TRUSTED_AUTHSERV_ID if the mail server checks DMARC',
  too_large: 'it is larger than 1 MiB',
  unreadable: 'it can not be read as mail',
  unavailable: 'the mail server does not give it out',
}

export const dropWords: { readonly [Reason in DropReason]: string } = {
  own_mail: 'it is a mail of this system',
  auto_submitted: 'it was sent automatically',
  bulk: 'it is bulk mail',
  null_return_path: 'it is a report of a mail server',
  mailer_daemon: 'it is a report of a mail server',
}
