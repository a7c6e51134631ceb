import { domainOf, signedMessageId } from '../mail/message-id.js'
import type { NewMail } from '../mail/outbox.js'
import type { AdmittedTrigger } from './admit-trigger.js'
import { triggerBodyHash } from './trigger-body.js'
import { signTrigger, triggerHeader } from './trigger-token.js'

/** The mail from this worker to itself that carries a trigger. */
export function triggerMail(trigger: AdmittedTrigger, mailAddress: string, key: string): NewMail {
  const { id, source, target, depth, subject, body, acceptedAt, expiresAt } = trigger
  const token = signTrigger(
    { v: 1, id, src: source, dst: target, depth, iat: acceptedAt, exp: expiresAt, body: triggerBodyHash(body) },
    key,
  )
  return {
    kind: 'trigger',
    // Unsigned: the header proves the mail, and an answer to it must prove nothing.
    messageId: signedMessageId(id, domainOf(mailAddress), undefined),
    to: mailAddress,
    subject,
    text: body,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Callboard-Depth': String(depth),
      [triggerHeader]: token,
    },
  }
}
