import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createTransport } from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport'
import { SMTPServer } from 'smtp-server'
import { describe, expect, it, vi } from 'vitest'
import { ImapReceiver } from '../src/mail/imap-receiver.js'
import type { NewMail } from '../src/mail/outbox.js'
import { sendTrigger } from '../src/triggers/send-trigger.js'
import { dovecotMissing, startDovecot } from './support/dovecot.js'
import { startHoodiecrow } from './support/hoodiecrow.js'
import { mailConfig, openMailParts } from './support/mail-parts.js'
import type { TestMailServer } from './support/mail-server.js'

type Deliver = (raw: Buffer) => Promise<void>

/** A mail server that takes mail over SMTP and lays it into the mailbox. */
async function startSmtp(deliver: Deliver) {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      stream
        .toArray()
        .then((chunks) => deliver(Buffer.concat(chunks)))
        .then(() => done(), done)
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

/** Stands in for the outbox's own way to a server. */
function senderTo(port: number) {
  const transport = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true })
  return async ({ messageId, to, subject, text, headers }: NewMail) => {
    await transport.sendMail({ from: mailConfig.mail_address, to, subject, text, messageId, headers: { ...headers } })
    return 'sent' as const
  }
}

function lmtpTo(port: number): Deliver {
  const options = { host: '127.0.0.1', port, secure: false, ignoreTLS: true, lmtp: true } as SMTPTransport.Options
  const transport = createTransport(options)
  return async (raw) => {
    await transport.sendMail({ envelope: { from: mailConfig.mail_address, to: 'callboard' }, raw })
  }
}

async function goesRound(mailbox: TestMailServer, deliver: Deliver): Promise<void> {
  await using smtp = await startSmtp(deliver)
  await using parts = await openMailParts({ config: { imap_url: mailbox.url }, send: senderTo(smtp.port) })
  await using receiver = new ImapReceiver(parts)
  receiver.start()
  await vi.waitFor(() => expect(receiver.health.connected).toBe(true), { timeout: 15_000, interval: 20 })

  const body = `Été 🌹\n\n  indented, and long: ${'x'.repeat(1_200)}\n.\n-- \nFrom here`
  const request = { source: 'lab', depth: 1, tag: 'Main', subjectSuffix: 'Wörk', body }
  const { trigger, outboxId } = await parts.store.transaction((db) => sendTrigger(db, parts, request))
  expect(await parts.outbox.sendNow(outboxId!, 10_000)).toBe('sent')

  await parts.untilMails(1)
  expect(await parts.mails()).toMatchObject([{ message_id: `<${trigger.id}@example.org>`, verdict: 'trigger' }])
  expect(await parts.runs()).toMatchObject([{ group_folder: 'main', depth: 2, trigger_id: trigger.id }])
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
      await goesRound(mailbox, lmtpTo(mailbox.lmtpPort))
    },
  )
})
