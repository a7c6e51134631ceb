import { expect, it, vi } from 'vitest'
import { ImapReceiver } from '../../src/mail/imap-receiver.js'
import { mailboxKey, parseImapUrl } from '../../src/mail/imap-server.js'
import { dovecotMissing, startDovecot } from '../support/dovecot.js'
import { startHoodiecrow } from '../support/hoodiecrow.js'
import { type MailParts, openMailParts } from '../support/mail-parts.js'

const failing = async (parts: MailParts, receiver: ImapReceiver) => {
  await vi.waitFor(() => expect(parts.foundation.clock.nextWake).toBeDefined(), { timeout: 15_000, interval: 20 })
  return receiver.health.lastError
}

it('encrypts everywhere but on this machine', () => {
  const protectionOf = (url: string) => parseImapUrl(url).protection
  expect(protectionOf('imaps://a:b@127.0.0.1')).toBe('tls')
  expect(protectionOf('imaps://a:b@mail.example.org')).toBe('tls')
  expect(protectionOf('imap://a:b@mail.example.org')).toBe('starttls')
  expect(protectionOf('imap://a:b@127.0.0.1.example.org')).toBe('starttls')
  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', 'localhost'])
    expect(protectionOf(`imap://a:b@${host}`)).toBe('plain')
})

it('reads what a URL says', () => {
  const server = parseImapUrl('imaps://ada%40example.org:s%3Acret@mail.example.org')
  expect(server).toMatchObject({ host: 'mail.example.org', port: 993, user: 'ada@example.org', password: 's:cret' })
  expect(mailboxKey(server, 'INBOX')).toBe('ada@example.org@mail.example.org/INBOX')
})

it('is not configured without IMAP_URL', async () => {
  await using parts = await openMailParts({ config: { imap_url: undefined } })
  await using receiver = new ImapReceiver(parts)
  receiver.start()
  expect(receiver.health).toEqual({ configured: false, connected: false, lastOkAt: null, lastError: null })
})

it('trusts no certificate that nobody vouches for', async () => {
  await using server = await startHoodiecrow({ secure: true })
  await using parts = await openMailParts({ config: { imap_url: server.url } })
  await using receiver = new ImapReceiver(parts)
  receiver.start()
  expect(await failing(parts, receiver)).toMatch(/^The certificate of 127\.0\.0\.1:\d+ can't be trusted/)
  expect(receiver.health.connected).toBe(false)
})

it('says that the password is wrong, without saying it', async () => {
  await using server = await startHoodiecrow()
  await using parts = await openMailParts({ config: { imap_url: server.url.replace('secret', 'wrong-password') } })
  await using receiver = new ImapReceiver(parts)
  receiver.start()
  expect(await failing(parts, receiver)).toMatch(/refuses user or password of IMAP_URL/)
  expect(JSON.stringify([receiver.health, parts.foundation.logged])).not.toMatch('wrong-password')
})

// Hoodiecrow answers this one like a syntax error.
it.skipIf(dovecotMissing !== undefined)('says which mailbox is missing', async () => {
  await using server = await startDovecot()
  await using parts = await openMailParts({ config: { imap_url: server.url, imap_mailbox: 'Nowhere' } })
  await using receiver = new ImapReceiver(parts)
  receiver.start()
  expect(await failing(parts, receiver)).toMatch(/has no mailbox "Nowhere": set IMAP_MAILBOX/)
})

it('tries again after 1 s, then 2, 4, 8, up to 5 minutes', async () => {
  await using parts = await openMailParts()
  await using receiver = new ImapReceiver(parts)
  const { clock } = parts.foundation
  receiver.start()
  const waits: number[] = []
  while (waits.length < 11) {
    expect(await failing(parts, receiver)).toMatch(/^Nothing answers at 127\.0\.0\.1:1/)
    const wait = clock.nextWake! - clock.now()
    waits.push(wait / 1_000)
    clock.advance(wait)
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
})

it('ends at once while it waits, and may be ended twice', async () => {
  await using parts = await openMailParts()
  const receiver = new ImapReceiver(parts)
  receiver.start()
  await failing(parts, receiver)
  await receiver.close()
  await receiver.close()
  receiver.start()
  expect(receiver.health.connected).toBe(false)
})
