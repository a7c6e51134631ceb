import { describe, expect, it, vi } from 'vitest'
import { ImapReceiver } from '../src/mail/imap-receiver.js'
import { OutboxDelivery } from '../src/mail/outbox-delivery.js'
import { smtpTransportOf } from '../src/mail/smtp-transport.js'
import { sendTrigger } from '../src/triggers/send-trigger.js'
import { type Deliver, DeliveringSmtp, lmtpTo } from './support/delivering-smtp.js'
import { dovecotMissing, startDovecot } from './support/dovecot.js'
import { startHoodiecrow } from './support/hoodiecrow.js'
import { mailConfig, openMailParts } from './support/mail-parts.js'
import type { TestImapServer } from './support/test-imap-server.js'

async function goesRound(mailbox: TestImapServer, deliver: Deliver): Promise<void> {
  await using smtp = await DeliveringSmtp.start(deliver)
  await using parts = await openMailParts({ config: { imap_url: mailbox.url, smtp_url: smtp.url } })
  const transport = smtpTransportOf(parts.config, parts.clock)!
  const outbox = new OutboxDelivery(parts.foundation, transport)
  await using receiver = new ImapReceiver({ ...parts, outbox })
  receiver.start()
  await vi.waitFor(() => expect(receiver.health.connected).toBe(true), { timeout: 15_000, interval: 20 })

  const body = `Été 🌹\n\n  indented, and long: ${'x'.repeat(1_200)}\n.\n-- \nFrom here`
  const request = { source: 'lab', depth: 1, tag: 'Main', subjectSuffix: 'Wörk', body }
  const { trigger, outboxId } = await parts.store.transaction((db) => sendTrigger(db, { ...parts, outbox }, request))
  expect(await outbox.sendNow(outboxId!, 10_000)).toBe('sent')

  await parts.untilMails(1)
  expect(await parts.mails()).toMatchObject([{ message_id: `<${trigger.id}@example.org>`, verdict: 'trigger' }])
  expect(await parts.runs()).toMatchObject([{ group_folder: 'main', depth: 2, trigger_id: trigger.id }])
  transport.close()
}

describe('a trigger goes out by SMTP, comes in by IMAP, and queues a run of its group', () => {
  it('with hoodiecrow', async () => {
    await using mailbox = await startHoodiecrow()
    await goesRound(mailbox, (raw) => mailbox.deliver(raw.toString()))
  })

  it.skipIf(dovecotMissing !== undefined)(
    `with Dovecot, over LMTP${dovecotMissing ? ` (${dovecotMissing})` : ''}`,
    async () => {
      await using mailbox = await startDovecot()
      await goesRound(mailbox, lmtpTo(mailbox.lmtpPort, mailConfig.mail_address))
    },
  )
})
