import { StoreError } from '@callboard/store'
import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { Intake } from '../../src/mail/intake.js'
import { beginCursor, readCursor } from '../../src/mail/mail-cursor.js'
import { signedMessageId } from '../../src/mail/message-id.js'
import type { NewMail } from '../../src/mail/outbox.js'
import { type SentTrigger, sendTrigger, type TriggerRequest } from '../../src/triggers/send-trigger.js'
import { triggerBodyHash } from '../../src/triggers/trigger-body.js'
import { triggerMail } from '../../src/triggers/trigger-mail.js'
import { signTrigger, type TriggerPayload } from '../../src/triggers/trigger-token.js'
import { type MailParts, mailKey, openMailParts } from '../support/mail-parts.js'
import { rawMail } from '../support/raw-mail.js'

const ours = signedMessageId('msg_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'example.org', mailKey)
const answering = `In-Reply-To: ${ours}`

let uid = 0
async function take(parts: MailParts, raw: string): Promise<void> {
  uid += 1
  await new Intake(parts).take({ uid, content: { kind: 'whole', raw: Buffer.from(raw) }, cursor: undefined })
}

/** What became of a mail, by itself in its database. */
async function verdictOn(fields: Parameters<typeof rawMail>[0], config: object = {}) {
  await using parts = await openMailParts({ config })
  await take(parts, rawMail(fields))
  const [mail] = await parts.mails()
  const [run] = await parts.runs()
  return {
    ...mail,
    group: run?.group_folder,
    depth: run?.depth,
    digest: await parts.digest(),
    events: await parts.events(),
  }
}

const trusting = { trusted_authserv_id: 'mx.example.org' }
const vouched = 'Authentication-Results: mx.example.org; dmarc=pass header.from=example.org'

it.each([
  ['an answer to a mail of ours', {}, { headers: [answering] }],
  ['the word of the trusted server', trusting, { headers: [vouched] }],
  ['the sender in other letters', {}, { from: 'Ada@Example.ORG', headers: [answering] }],
])('accepts a person for %s', async (_name, config, mail) => {
  const verdict = { verdict: 'accepted', group: 'main', depth: 0, text: 'Hello!', events: ['email_received'] }
  expect(await verdictOn(mail, config)).toMatchObject(verdict)
})

it.each([
  ['the sender alone', {}, {}, 'sender_unproven'],
  ['another sender', trusting, { from: 'eve@evil.org', headers: [vouched, answering] }, 'sender_unknown'],
  ['a second sender', trusting, { headers: [vouched, 'From: eve@evil.org'] }, 'sender_unknown'],
  [
    'a word below that of the trusted server',
    trusting,
    { headers: [vouched.replace('pass', 'fail'), vouched] },
    'sender_unproven',
  ],
  ['a word of another server', trusting, { headers: [vouched.replace('mx.', 'mx2.')] }, 'sender_unproven'],
  ['a word of a server that nobody trusts', {}, { headers: [vouched] }, 'sender_unproven'],
  ['an answer to an id that we never made', {}, { headers: [answering.replace('ARZ', 'ARX')] }, 'sender_unproven'],
  ['an answer to an id of ours elsewhere', {}, { headers: [answering.replace('example', 'evil')] }, 'sender_unproven'],
])('rejects %s', async (_name, config, mail, reason) => {
  const found = await verdictOn(mail, config)
  expect(found).toMatchObject({ verdict: 'rejected', reason, group: undefined, events: ['email_rejected'], digest: [] })
})

it.each([
  ['[lab] Look', 'lab'],
  ['[LAB]', 'lab'],
  ['[main] Look', 'main'],
  ['Re: [lab] Look', 'main'],
  ['Look [lab]', 'main'],
  ['', 'main'],
])('gives the subject "%s" to the group %s', async (subject, group) => {
  expect(await verdictOn({ subject, headers: [answering] })).toMatchObject({ verdict: 'accepted', group })
})

it.each(['[../../x] Look', '[errors] Look', '[nobody] Look', '[] Look', '[lab/../main] x'])(
  'starts nothing for "%s", and tells the known tags once',
  async (subject) => {
    const { digest, ...found } = await verdictOn({ subject, headers: [answering] })
    expect(found).toMatchObject({ verdict: 'rejected', reason: 'unknown_tag', group: undefined })
    expect(digest).toEqual([expect.stringContaining('Known tags: [lab], [main].')])
  },
)

it('tells a stranger no tags', async () => {
  expect(await verdictOn({ subject: '[nobody] x', from: 'eve@evil.org' })).toMatchObject({
    reason: 'sender_unknown',
    digest: [],
  })
})

it.each([
  ['a vacation reply', { headers: [answering, 'Auto-Submitted: auto-replied (vacation)'] }, 'auto_submitted'],
  ['a mailing list', { headers: [answering, 'Precedence: List'] }, 'bulk'],
  ['a bounce', { headers: ['Return-Path: <>', answering] }, 'null_return_path'],
  ['a mailer daemon', { from: 'MAILER-DAEMON@example.org', headers: [answering] }, 'mailer_daemon'],
  ['a digest that comes back', { messageId: ours, headers: [answering] }, 'own_mail'],
])('drops %s', async (_name, mail, reason) => {
  const found = await verdictOn(mail, trusting)
  expect(found).toMatchObject({ verdict: 'dropped', reason, group: undefined, events: ['email_rejected'] })
})

it('takes a mail that says that a person sent it', async () => {
  const verdict = await verdictOn({ headers: [answering, 'Auto-Submitted: No', 'Return-Path: <ada@example.org>'] })
  expect(verdict).toMatchObject({ verdict: 'accepted' })
})

it('gives a group what the person wrote: HTML as text, without quotes, attachments by name', async () => {
  const html = '<p>Publish &amp; tell me</p><br>-- <br>Ada'
  expect((await verdictOn({ text: html, headers: [answering, 'Content-Type: text/html'] })).text).toMatch(
    /^Publish & tell me/,
  )
  const quoting = 'Publish\n\nOn Mon, 2 Mar 2026 at 10:00, Callboard <c@example.org> wrote:\n> old'
  expect((await verdictOn({ text: quoting, headers: [answering] })).text).toBe('Publish')
  const parts = '--b\n\nSee there\n--b\nContent-Type: application/pdf; name=a.pdf\n\nx\n--b--'
  const mixed = await verdictOn({ text: parts, headers: [answering, 'Content-Type: multipart/mixed; boundary=b'] })
  expect(mixed.text).toBe('See there\n\nAttached, but not kept: a.pdf')
})

it('has both names of a mail in one database once', async () => {
  await using parts = await openMailParts()
  await take(parts, rawMail({ messageId: null, headers: [answering] }))
  await take(parts, rawMail({ messageId: null, headers: [answering] }))
  await take(parts, rawMail({ messageId: null, headers: [answering], text: 'Other' }))
  expect(await parts.runs()).toHaveLength(2)
})

it('lets no refused mail keep out the real one that comes after it under the same id', async () => {
  await using parts = await openMailParts()
  const arrive = (raw: string) => {
    uid += 1
    const cursor = { mailbox: 'ada@example.org/INBOX', at: { uidValidity: 7, lastUid: uid } }
    return new Intake(parts).take({ uid, content: { kind: 'whole', raw: Buffer.from(raw) }, cursor })
  }
  await arrive(rawMail({ from: 'eve@evil.org' }))
  await arrive(rawMail({ text: 'Not proven' }))
  expect(await parts.mails()).toMatchObject([{ verdict: 'rejected', reason: 'sender_unknown' }])
  await arrive(rawMail({ headers: [answering], text: 'The real one' }))
  await arrive(rawMail({ headers: [answering], text: 'The same once more' }))
  await arrive(rawMail({ from: 'eve@evil.org' }))
  expect(await parts.mails()).toMatchObject([{ verdict: 'accepted', text: 'The real one' }])
  expect(await parts.runs()).toHaveLength(1)
})

it('judges no mail anew when the mailbox is read again', async () => {
  await using parts = await openMailParts()
  await take(parts, rawMail({ from: 'eve@evil.org' }))
  await take(parts, rawMail({ headers: [answering] }))
  expect(await parts.mails()).toMatchObject([{ verdict: 'rejected' }])
})

it('records as rejected what it can not take in, and goes on', async () => {
  await using parts = await openMailParts()
  const broken = { ...parts, scheduling: { ...parts.scheduling, queueRun: () => Promise.reject(new Error('a bug')) } }
  await take(broken, rawMail({ headers: [answering] }))
  expect(await parts.mails()).toMatchObject([{ verdict: 'rejected', reason: 'unreadable' }])
  expect(parts.foundation.logged).toMatchObject([{ level: 'error' }])
})

it('records nothing while the database can not be reached, so that the mail is taken again', async () => {
  await using parts = await openMailParts()
  const unavailable = () => Promise.reject(new StoreError('unavailable', 'The database is away'))
  const away = { ...parts, store: { ...parts.store, transaction: unavailable } } as unknown as MailParts
  await expect(take(away, rawMail({ headers: [answering] }))).rejects.toThrow('The database is away')
  expect(await parts.mails()).toEqual([])
})

it('moves the cursor with the mail or not at all', async () => {
  await using parts = await openMailParts()
  const [mailbox, before] = ['ada@example.org/INBOX', { uidValidity: 7, lastUid: 1 }]
  await beginCursor(parts.store.db, mailbox, before, 0)
  const messages = { post: () => Promise.reject(new StoreError('unavailable', 'The database is away')) }
  const raw = Buffer.from(rawMail({ subject: '[nobody]', headers: [answering] }))
  const mail = {
    uid: 2,
    content: { kind: 'whole' as const, raw },
    cursor: { mailbox, at: { uidValidity: 7, lastUid: 2 } },
  }
  await expect(new Intake({ ...parts, messages }).take(mail)).rejects.toThrow('The database is away')
  expect(await readCursor(parts.store.db, mailbox)).toEqual(before)
  await new Intake(parts).take(mail)
  expect(await readCursor(parts.store.db, mailbox)).toEqual({ uidValidity: 7, lastUid: 2 })
  expect(await parts.mails()).toHaveLength(1)
})

describeBothDatabases('a trigger by mail', (database) => {
  const request: TriggerRequest = { source: 'lab', depth: 1, tag: 'main', subjectSuffix: 'Work', body: 'Do\n\n  it. ✓' }

  async function openTriggered(config: object = {}) {
    const parts = await openMailParts({ location: await database.create(), config })
    const sent = await parts.store.transaction((db) => sendTrigger(db, parts, request))
    return { parts, sent, mail: triggerMail(sent.trigger, 'callboard@example.org', mailKey) }
  }

  function raw(mail: NewMail, change: { text?: string; subject?: string; messageId?: string; headers?: object } = {}) {
    const { subject, text, messageId, headers = {} } = { ...mail, ...change }
    const lines = Object.entries({ ...mail.headers, ...headers }).map(([name, value]) => `${name}: ${value}`)
    return rawMail({ from: mail.to, to: mail.to, subject, text, messageId, headers: lines })
  }

  function resigned({ trigger }: SentTrigger, change: Partial<TriggerPayload>, key = mailKey) {
    const { id, source, target, depth, acceptedAt, expiresAt, body } = trigger
    const payload: TriggerPayload = {
      v: 1,
      id,
      src: source,
      dst: target,
      depth,
      iat: acceptedAt,
      exp: expiresAt,
      body: triggerBodyHash(body),
    }
    return { headers: { 'X-Callboard-Trigger': signTrigger({ ...payload, ...change }, key) } }
  }

  it('starts a run of the target group at the signed depth, once', async () => {
    const { parts, sent, mail } = await openTriggered()
    await using _ = parts
    await take(parts, raw(mail, { headers: { 'X-Callboard-Depth': '0' } }))
    expect(await parts.runs()).toMatchObject([
      { group_folder: 'main', depth: 2, trigger_id: sent.trigger.id, mail_id: null },
    ])
    expect(await parts.events()).toEqual(['trigger_received'])
    await take(parts, raw(mail))
    await take(parts, raw(mail, { messageId: '<replayed@example.org>' }))
    expect(await parts.mails()).toMatchObject([
      { verdict: 'trigger' },
      { verdict: 'rejected', reason: 'trigger_consumed' },
    ])
    expect(await parts.runs()).toHaveLength(1)
  })

  it('is rejected where anything of it is not what was signed', async () => {
    const { parts, sent, mail } = await openTriggered()
    await using _ = parts
    const altered: [string, string][] = [
      ['token_forged', raw(mail, resigned(sent, {}, 'another key of thirty-two bytes!'))],
      ['token_malformed', raw(mail, { headers: { 'X-Callboard-Trigger': 'nonsense' } })],
      ['token_malformed', `X-Callboard-Trigger: ${mail.headers!['X-Callboard-Trigger']}\r\n${raw(mail)}`],
      ['trigger_unknown', raw(mail, resigned(sent, { id: 'trg_00000000000000000000000000' }))],
      ['trigger_altered', raw(mail, resigned(sent, { depth: 1 }))],
      ['trigger_altered', raw(mail, resigned(sent, { src: 'main' }))],
      ['trigger_altered', raw(mail, resigned(sent, { dst: 'lab' }))],
      ['trigger_altered', raw(mail, { subject: '[lab] Work' })],
      ['trigger_altered', raw(mail, { subject: 'Work' })],
      ['trigger_altered', raw(mail, { text: 'Do something else' })],
    ]
    for (const [index, [, altering]] of altered.entries()) {
      await take(parts, altering.replace(/Message-ID: .*/, `Message-ID: <altered-${index}@example.org>`))
    }
    expect((await parts.mails()).map(({ reason }) => reason)).toEqual(altered.map(([reason]) => reason))
    expect(await parts.runs()).toEqual([])
    // None of them has used it up.
    await take(parts, raw(mail))
    expect(await parts.runs()).toHaveLength(1)
  })

  it('is rejected after 96 hours, whatever its date says', async () => {
    const { parts, mail } = await openTriggered()
    await using _ = parts
    parts.foundation.clock.advance(96 * 3_600_000)
    await take(parts, raw(mail, { headers: { Date: 'Fri, 01 Jan 2100 00:00:00 +0000' } }))
    expect(await parts.mails()).toMatchObject([{ verdict: 'rejected', reason: 'token_expired' }])
  })

  it('is taken in its last moment', async () => {
    const { parts, mail } = await openTriggered()
    await using _ = parts
    parts.foundation.clock.advance(96 * 3_600_000 - 1)
    await take(parts, raw(mail))
    expect(await parts.mails()).toMatchObject([{ verdict: 'trigger' }])
  })
})
