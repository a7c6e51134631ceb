import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { ownIdOf } from '../../src/mail/message-id.js'
import { OutboxDelivery } from '../../src/mail/outbox-delivery.js'
import { MessageDesk, type MessageDeskOptions } from '../../src/messages/message-desk.js'
import { MessageReleases } from '../../src/messages/message-releases.js'
import type { NewMessage } from '../../src/messages/messages.js'
import { FakeTransport, refused } from '../support/fake-transport.js'
import { mailConfig } from '../support/mail-config.js'
import { openTestFoundation, type TestFoundation, type TestFoundationOptions } from '../support/test-foundation.js'

const message: NewMessage = { group: 'lab', runId: 'run_1', depth: 1, priority: 'notify', text: 'Dinner is ready' }
const quarter = 15 * 60_000

async function open(options: TestFoundationOptions, deskOptions: MessageDeskOptions = {}) {
  const foundation = await openTestFoundation(options)
  const transport = new FakeTransport()
  const outbox = new OutboxDelivery(foundation, transport)
  const desk = new MessageDesk(foundation, outbox, deskOptions)
  const releases = new MessageReleases(foundation, outbox)
  const post = (change: Partial<NewMessage>) =>
    foundation.store.transaction((tx) => desk.post(tx, { ...message, ...change }))
  return { foundation, transport, outbox, releases, post }
}

async function storedMessages({ store }: TestFoundation) {
  const rows = await store.db.selectFrom('messages').selectAll().orderBy('id').execute()
  return rows.map(({ state, text, outbox_id }) => ({ state, text, mailed: outbox_id !== null }))
}

async function activity({ store }: TestFoundation) {
  const rows = await store.db
    .selectFrom('activity')
    .select(['event_type', 'group_folder', 'summary'])
    .orderBy('id')
    .execute()
  return rows.map(({ event_type, group_folder, summary }) => `${event_type} ${group_folder}: ${summary}`)
}

describeBothDatabases('a message', (database) => {
  const location = () => database.create()

  it('to notify of is mailed, with a Message-ID that a reply proves', async () => {
    const { foundation, transport, outbox, post } = await open({ location: await location(), config: mailConfig })
    await using _ = foundation
    const posted = await post({ text: 'Grüße!\n\nDinner is ready' })
    expect(posted).toEqual({
      messageId: expect.stringMatching(/^msg_/),
      state: 'queued',
      outboxId: expect.any(String),
      warnings: [],
    })
    expect(await outbox.sendNow(posted.outboxId!, 1_000)).toBe('sent')
    const [mail] = transport.mails
    expect(mail).toMatchObject({ to: 'ada@example.org', subject: '[lab] Grüße!', text: 'Grüße!\n\nDinner is ready' })
    expect(mail!.headers).toEqual({ 'Auto-Submitted': 'auto-generated' })
    expect(ownIdOf(mail!.messageId, 'example.org', mailConfig.mail_hmac_key)).toBe(posted.messageId)
    expect(await storedMessages(foundation)).toEqual([
      { state: 'sent', text: 'Grüße!\n\nDinner is ready', mailed: true },
    ])
    expect(await activity(foundation)).toEqual([
      'message_queued lab: Grüße! Dinner is ready',
      'email_sent lab: Sent: [lab] Grüße!',
    ])
  })

  it('of which the server will have nothing is dead, and queued once it is requeued', async () => {
    const { foundation, transport, outbox, post } = await open({ location: await location(), config: mailConfig })
    await using _ = foundation
    transport.answers.push(refused)
    const { outboxId } = await post({})
    await outbox.deliverDue()
    expect(await storedMessages(foundation)).toMatchObject([{ state: 'dead' }])
    await foundation.store.transaction((tx) => outbox.requeue(tx, outboxId!))
    expect(await storedMessages(foundation)).toMatchObject([{ state: 'queued' }])
    await outbox.deliverDue()
    expect(await storedMessages(foundation)).toMatchObject([{ state: 'sent' }])
  })

  it("is neither stored nor mailed when its sender's transaction fails", async () => {
    const { foundation } = await open({ location: await location(), config: mailConfig })
    await using _ = foundation
    const desk = new MessageDesk(foundation, new OutboxDelivery(foundation, undefined))
    const failing = foundation.store.transaction(async (tx) => {
      await desk.post(tx, message)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await foundation.store.db.selectFrom('outbox').selectAll().execute()).toEqual([])
    expect([await storedMessages(foundation), await activity(foundation)]).toEqual([[], []])
  })

  it('for the digest waits for it; one for the log is only logged, whole', async () => {
    const { foundation, post } = await open({ location: await location(), config: mailConfig })
    await using _ = foundation
    const long = 'x'.repeat(100_000)
    expect(await post({ priority: 'digest' })).toMatchObject({ state: 'batched', warnings: [] })
    expect(await post({ priority: 'log', text: long })).toMatchObject({ state: 'logged', warnings: [] })
    expect(await storedMessages(foundation)).toEqual([
      { state: 'batched', text: message.text, mailed: false },
      { state: 'logged', text: long, mailed: false },
    ])
    expect(await activity(foundation)).toEqual([`message_logged lab: ${'x'.repeat(200)}…`])
  })

  it('keeps its internal parts to itself', async () => {
    const { foundation, transport, outbox, post } = await open({ location: await location(), config: mailConfig })
    await using _ = foundation
    const text = '<internal>the key is 42</internal>Done. <INTERNAL>and more'
    await post({ text })
    await outbox.deliverDue()
    expect(transport.mails).toMatchObject([{ subject: '[lab] Done.', text: 'Done.' }])
    expect(await storedMessages(foundation)).toMatchObject([{ text, state: 'sent' }])
    expect((await activity(foundation)).join()).not.toContain('key is 42')
  })

  it.each(['notify', 'digest'] as const)(
    'to %s of which nothing is left is logged, with a warning',
    async (priority) => {
      const { foundation, post } = await open({ location: await location(), config: mailConfig })
      await using _ = foundation
      const posted = await post({ priority, text: '<internal>nothing new</internal>' })
      expect(posted).toMatchObject({ state: 'logged', warnings: [expect.stringContaining('not mailed')] })
      expect(posted.outboxId).toBeUndefined()
    },
  )

  it('has a subject of one line, cut between words', async () => {
    const { foundation, transport, outbox, post } = await open({ location: await location(), config: mailConfig })
    await using _ = foundation
    await post({ text: `\r\n---\n${'word '.repeat(60)}\nBcc: eve@example.org` })
    await outbox.deliverDue()
    expect(transport.mails[0]!.subject).toMatch(/^\[lab\] (word )+word…$/)
    expect(transport.mails[0]!.subject.length).toBeLessThan(140)
  })

  it('is held without mail, says what is missing, and goes its way once there is mail', async () => {
    const where = await location()
    const { foundation, post, releases } = await open({
      location: where,
      config: { mail_address: 'agents@example.org' },
    })
    await using _ = foundation
    const held = [expect.stringContaining('SMTP_URL, NOTIFICATION_EMAIL')]
    expect(await post({})).toMatchObject({ state: 'held', warnings: held })
    expect(await post({ priority: 'digest' })).toMatchObject({ state: 'held', warnings: held })
    expect(await post({ priority: 'log' })).toMatchObject({ state: 'logged', warnings: [] })
    expect(await releases.releaseDue()).toBeUndefined()
    const later = await open({ location: where, config: mailConfig, clock: foundation.clock, random: () => 0.5 })
    await using __ = later.foundation
    await later.releases.releaseDue()
    await later.releases.releaseDue()
    const states = (await storedMessages(foundation)).map(({ state }) => state)
    expect(states).toEqual(['queued', 'batched', 'logged'])
    await later.outbox.deliverDue()
    expect(later.transport.mails).toHaveLength(1)
  })
})

describeBothDatabases('a review', (database) => {
  async function openReviewed(startReview: MessageDeskOptions['startReview']) {
    const config = { ...mailConfig, notify_review: 'admin' }
    return open({ location: await database.create(), config }, { startReview: startReview! })
  }

  it('lets a message go after 15 minutes unless somebody drops it', async () => {
    const asked: unknown[] = []
    const { foundation, transport, outbox, releases, post } = await openReviewed(async (_db, reviewed) => {
      asked.push(reviewed)
      return true
    })
    await using _ = foundation
    const { clock, store } = foundation
    const end = clock.now() + quarter
    const kept = await post({})
    expect(kept).toMatchObject({ state: 'review', warnings: [expect.stringContaining('within 15 minutes')] })
    expect(asked).toEqual([{ ...message, id: kept.messageId, reviewUntil: end }])
    const { messageId } = await post({ text: 'Drop me' })
    await store.db.updateTable('messages').set({ state: 'dropped' }).where('id', '=', messageId).execute()
    clock.set(end - 1)
    expect(await releases.releaseDue()).toBe(end)
    await outbox.deliverDue()
    expect(transport.mails).toEqual([])
    clock.set(end)
    expect(await releases.releaseDue()).toBeUndefined()
    await outbox.deliverDue()
    expect(transport.mails.map(({ text }) => text)).toEqual([message.text])
  })

  it('ends once, however many processes see its end', async () => {
    const location = await database.create()
    const config = { ...mailConfig, notify_review: 'admin' }
    const first = await open({ location, config }, { startReview: async () => true })
    await using _ = first.foundation
    const second = await open({ location, config, clock: first.foundation.clock, random: () => 0.5 })
    await using __ = second.foundation
    await first.post({})
    first.foundation.clock.advance(quarter)
    await Promise.all([first.releases.releaseDue(), second.releases.releaseDue()])
    expect(await first.foundation.store.db.selectFrom('outbox').select('kind').execute()).toEqual([{ kind: 'notify' }])
  })

  it('is no hindrance when the limits allow none, and none for the admin group', async () => {
    const asked: string[] = []
    const { foundation, post } = await openReviewed(async (_db, { group }) => {
      asked.push(group)
      return false
    })
    await using _ = foundation
    expect(await post({})).toMatchObject({ state: 'queued', outboxId: expect.any(String) })
    expect(await post({ group: 'main' })).toMatchObject({ state: 'queued', outboxId: expect.any(String) })
    expect(asked).toEqual(['lab'])
  })
})
