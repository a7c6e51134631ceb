import { VirtualClock } from '@callboard/worker/testing'
import { describe, expect, it, vi } from 'vitest'
import { mailBytesMax } from '../../src/limits.js'
import { ImapReceiver } from '../../src/mail/imap-receiver.js'
import { signedMessageId } from '../../src/mail/message-id.js'
import { dovecotMissing, startDovecot } from '../support/dovecot.js'
import { startHoodiecrow } from '../support/hoodiecrow.js'
import { type MailParts, mailKey, openMailParts } from '../support/mail-parts.js'
import { rawMail } from '../support/raw-mail.js'
import type { TestImapServer } from '../support/test-imap-server.js'

const hour = 60 * 60_000

/** An answer to a mail of ours: what is accepted. */
function answer(name: string, text = 'Hello!', headers: readonly string[] = []): string {
  const ours = signedMessageId('msg_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'example.org', mailKey)
  return rawMail({ messageId: `<${name}@example.org>`, text, headers: [`In-Reply-To: ${ours}`, ...headers] })
}

async function openParts(server: TestImapServer, config: object = {}): Promise<MailParts> {
  // Servers date mails by their own clock.
  const clock = new VirtualClock(Date.now())
  return openMailParts({ clock, config: { imap_url: server.url, ...config } })
}

const connected = (receiver: ImapReceiver) =>
  vi.waitFor(() => expect(receiver.health.connected).toBe(true), { timeout: 15_000, interval: 20 })
const asleep = (parts: MailParts) =>
  vi.waitFor(() => expect(parts.foundation.clock.nextWake).toBeDefined(), { timeout: 15_000, interval: 20 })
const ids = async (parts: MailParts) => (await parts.mails()).map(({ message_id: id }) => id)

function suite(start: () => Promise<TestImapServer>) {
  it('skips what lies in the mailbox at its first start, and takes what comes then, told by the server', async () => {
    await using server = await start()
    await server.deliver(answer('history'))
    await using parts = await openParts(server)
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    expect(receiver.health).toMatchObject({ configured: true, connected: true, lastError: null })
    await server.deliver(answer('new'))
    await parts.untilMails(1)
    expect(await ids(parts)).toEqual(['<new@example.org>'])
    expect(await parts.runs()).toMatchObject([{ group_folder: 'main', depth: 0 }])
  })

  it('takes what came in the hours that it was offline, in the order of arrival', async () => {
    await using server = await start()
    await using parts = await openParts(server)
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    server.gate.shut()
    await vi.waitFor(() => expect(receiver.health.lastError).not.toBeNull())
    for (const name of ['a', 'b', 'c']) await server.deliver(answer(name))
    await asleep(parts)
    parts.foundation.clock.advance(5 * hour)
    await asleep(parts)
    server.gate.open()
    parts.foundation.clock.advance(5 * 60_000)
    await parts.untilMails(3)
    expect(await ids(parts)).toEqual(['<a@example.org>', '<b@example.org>', '<c@example.org>'])
    await connected(receiver)
    expect(receiver.health.lastError).toBeNull()
  })

  it('goes on where it was after a restart, and has each mail once', async () => {
    await using server = await start()
    await using parts = await openParts(server)
    {
      await using receiver = new ImapReceiver(parts)
      receiver.start()
      await asleep(parts)
      await server.deliver(answer('before'))
      await parts.untilMails(1)
    }
    await server.deliver(answer('between'))
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await parts.untilMails(2)
    expect(await parts.runs()).toHaveLength(2)
  })

  it('reconnects when the connection drops while it waits', async () => {
    await using server = await start()
    await using parts = await openParts(server)
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    server.gate.cut()
    await vi.waitFor(() => expect(receiver.health.connected).toBe(false))
    await server.deliver(answer('late'))
    await asleep(parts)
    parts.foundation.clock.advance(1_000)
    await parts.untilMails(1)
  })

  it('gives the same effect once where the same mail is delivered twice', async () => {
    await using server = await start()
    await using parts = await openParts(server)
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    await server.deliver(answer('twice'))
    await server.deliver(answer('twice'))
    await server.deliver(answer('last'))
    await parts.untilMails(2)
    expect(await parts.runs()).toHaveLength(2)
  })

  it('has each mail once where two receivers share a database', async () => {
    await using server = await start()
    await using parts = await openParts(server)
    await using first = new ImapReceiver(parts)
    await using second = new ImapReceiver(parts)
    first.start()
    second.start()
    await connected(first)
    await connected(second)
    for (let number = 0; number < 10; number++) await server.deliver(answer(`mail-${number}`))
    await parts.untilMails(10)
    await first.close()
    await second.close()
    expect(await parts.runs()).toHaveLength(10)
  })

  it('orders nothing by the date in a mail', async () => {
    await using server = await start()
    await using parts = await openParts(server)
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    await server.deliver(answer('future', 'x', ['Date: Fri, 01 Jan 2100 00:00:00 +0000']))
    await server.deliver(answer('past', 'x', ['Date: Thu, 01 Jan 1998 00:00:00 +0000']))
    await parts.untilMails(2)
    expect(await ids(parts)).toEqual(['<future@example.org>', '<past@example.org>'])
  })

  it('reads the last days again when the server numbers its mails anew, and repeats nothing', async () => {
    await using server = await start()
    await server.deliver(answer('history'), new Date(Date.now() - 24 * hour))
    await using parts = await openParts(server)
    {
      await using receiver = new ImapReceiver(parts)
      receiver.start()
      await asleep(parts)
      await server.deliver(answer('known'))
      await parts.untilMails(1)
    }
    await server.deliver(answer('unread'), new Date(Date.now() + 60_000))
    await server.renumber()
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    const names = await ids(parts)
    expect(names.filter((name) => name !== '<anew@example.org>')).toEqual([
      '<known@example.org>',
      '<unread@example.org>',
    ])
    expect(await parts.runs()).toHaveLength(2)
    expect((await parts.events()).filter((type) => type === 'mail_uidvalidity_changed')).toHaveLength(1)
    await server.deliver(answer('afterwards'))
    await parts.untilMails(names.length + 1)
  })

  it('refuses a mail above 1 MiB without downloading all of it, and takes the next', async () => {
    await using server = await start()
    await using parts = await openParts(server)
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    await server.deliver(answer('large', `${'x'.repeat(70)}\n`.repeat(Math.ceil(mailBytesMax / 70))))
    await server.deliver(answer('small'))
    await parts.untilMails(2)
    expect(await parts.mails()).toMatchObject([
      { message_id: '<large@example.org>', verdict: 'rejected', reason: 'too_large' },
      { message_id: '<small@example.org>', verdict: 'accepted' },
    ])
    expect(await parts.events()).toEqual(['email_rejected', 'email_received'])
  })

  it('records a mail that can not be parsed, and takes the next', async () => {
    await using server = await start()
    await using parts = await openParts(server)
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    const nested = Array.from({ length: 30_000 }, () => '<div>').join('\n')
    await server.deliver(answer('poison', nested, ['Content-Type: text/html']))
    await server.deliver(answer('good'))
    await parts.untilMails(2)
    expect(await parts.mails()).toMatchObject([{ verdict: 'rejected', reason: 'unreadable' }, { verdict: 'accepted' }])
  })
}

describe('with hoodiecrow', () => {
  suite(() => startHoodiecrow())

  it('looks for itself where the server tells nothing', async () => {
    await using server = await startHoodiecrow({ idle: false })
    await using parts = await openParts(server, { imap_poll_ms: 30_000 })
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    await server.deliver(answer('silent'))
    expect(parts.foundation.clock.nextWake).toBe(parts.clock.now() + 30_000)
    parts.foundation.clock.advance(30_000)
    await parts.untilMails(1)
  })

  it('notices in the middle of a connection that the mails are numbered anew', async () => {
    await using server = await startHoodiecrow()
    await using parts = await openParts(server)
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    await server.deliver(answer('one'))
    await parts.untilMails(1)
    await asleep(parts)
    await server.renumber()
    await server.deliver(answer('two'), new Date(Date.now() + 60_000))
    await parts.untilMails(2)
    expect(await parts.runs()).toHaveLength(2)
  })

  it('tries a mail that the server refuses to give out five times, then takes those behind it', async () => {
    await using server = await startHoodiecrow({ refuses: (uid) => uid === 1 })
    await using parts = await openParts(server)
    await using receiver = new ImapReceiver(parts)
    receiver.start()
    await asleep(parts)
    await server.deliver(answer('damaged'))
    await server.deliver(answer('good'))
    for (const wait of [1_000, 2_000, 4_000, 8_000]) {
      await vi.waitFor(() => expect(parts.foundation.clock.nextWake).toBe(parts.clock.now() + wait), 15_000)
      expect(receiver.health.lastError).toMatch(/That mail is damaged/)
      expect(await parts.mails()).toEqual([])
      parts.foundation.clock.advance(wait)
    }
    await parts.untilMails(2)
    expect(await parts.mails()).toMatchObject([{ verdict: 'rejected', reason: 'unavailable' }, { verdict: 'accepted' }])
  })
})

describe.skipIf(dovecotMissing !== undefined)(`with Dovecot${dovecotMissing ? ` (${dovecotMissing})` : ''}`, () =>
  suite(startDovecot),
)
