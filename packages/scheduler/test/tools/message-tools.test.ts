import { describeBothDatabases } from '@callboard/store/testing'
import { describe, expect, it } from 'vitest'
import { OutboxDelivery } from '../../src/mail/outbox-delivery.js'
import { DigestKeeper } from '../../src/messages/digest-keeper.js'
import { MessageDesk } from '../../src/messages/message-desk.js'
import { dropMessageTool } from '../../src/tools/drop-message-tool.js'
import { requeueMessageTool } from '../../src/tools/requeue-message-tool.js'
import { sendMessageTool } from '../../src/tools/send-message-tool.js'
import { actorOf, callChanging } from '../support/call-tool.js'
import { deferred, FakeTransport, refused } from '../support/fake-transport.js'
import { mailConfig } from '../support/mail-config.js'
import { openTestFoundation, type TestFoundationOptions } from '../support/test-foundation.js'

async function open(options: TestFoundationOptions) {
  const foundation = await openTestFoundation({ config: mailConfig, ...options })
  const transport = new FakeTransport()
  const outbox = new OutboxDelivery(foundation, transport)
  const desk = new MessageDesk(foundation, outbox, { startReview: async () => true })
  const sendTool = sendMessageTool(foundation, desk, outbox, { wake: () => {} })
  const dropTool = dropMessageTool(foundation)
  const requeueTool = requeueMessageTool(foundation, outbox)
  const lab = actorOf(foundation, 'lab', { run: { id: 'run_1', attempt: 1 }, triggerDepth: 2 })
  const admin = actorOf(foundation, 'main')
  const operator = actorOf(foundation, 'main', { principal: 'operator:root', isOperator: true })
  return {
    foundation,
    transport,
    outbox,
    sendTool,
    db: foundation.store.db,
    send: (args: object) => callChanging(foundation, sendTool, args, lab),
    drop: (message_id: unknown) => callChanging(foundation, dropTool, { message_id }, admin),
    requeue: (message_id: unknown) => callChanging(foundation, requeueTool, { message_id }, operator),
  }
}

describeBothDatabases('send_message', (database) => {
  const opened = async (options: TestFoundationOptions = {}) => open({ location: await database.create(), ...options })

  it('is for the digest unless told otherwise, as the group and run that call', async () => {
    const { foundation, send, db } = await opened()
    await using _ = foundation
    const { value, text } = await send({ text: '  Half done  ' })
    expect(value).toEqual({
      message_id: expect.stringMatching(/^msg_/),
      priority: 'digest',
      state: 'batched',
      warnings: [],
    })
    expect(text).toBe(`Kept for the next digest. (${value['message_id']})`)
    expect(await db.selectFrom('messages').selectAll().execute()).toEqual([
      expect.objectContaining({ group_folder: 'lab', run_id: 'run_1', depth: 2, text: 'Half done', state: 'batched' }),
    ])
  })

  it('says sent once the server has taken it, and queued when it has not', async () => {
    const { foundation, transport, send } = await opened()
    await using _ = foundation
    expect((await send({ text: 'a', priority: 'notify' })).value).toMatchObject({ state: 'sent', warnings: [] })
    transport.answers.push(deferred)
    expect((await send({ text: 'b', priority: 'notify' })).value).toMatchObject({ state: 'queued', warnings: [] })
    expect((await send({ text: 'c', priority: 'log' })).value).toMatchObject({ state: 'logged', warnings: [] })
  })

  it('says so when the server refuses, without its words', async () => {
    const { foundation, transport, send } = await opened()
    await using _ = foundation
    transport.answers.push(refused)
    const { value, text } = await send({ text: 'a', priority: 'notify' })
    expect(value).toMatchObject({ state: 'queued', warnings: [expect.stringContaining('requeue_message msg_')] })
    expect(text).not.toContain('550')
  })

  it('says held where mail is not configured, and which variables are missing', async () => {
    const { foundation, transport, send } = await opened({ config: {} })
    await using _ = foundation
    const { value } = await send({ text: 'a', priority: 'notify' })
    const warning = expect.stringContaining('SMTP_URL, MAIL_ADDRESS, NOTIFICATION_EMAIL')
    expect(value).toMatchObject({ state: 'held', warnings: [warning] })
    expect(transport.mails).toEqual([])
  })

  it('mails nothing of a message that is reviewed', async () => {
    const { foundation, transport, send } = await opened({ config: { ...mailConfig, notify_review: 'admin' } })
    await using _ = foundation
    const { value } = await send({ text: 'a', priority: 'notify' })
    expect(value).toMatchObject({ state: 'queued', warnings: [expect.stringContaining('reviews it first')] })
    expect(transport.mails).toEqual([])
  })
})

describe('the input of send_message', () => {
  it.each([
    ['no text', {}],
    ['an empty text', { text: ' \n ' }],
    ['a text of another type', { text: 7 }],
    ['a text with NUL', { text: 'a\0' }],
    ['a text that is too long', { text: 'x'.repeat(100_001) }],
    ['another priority', { text: 'a', priority: 'urgent' }],
    ['a priority in capitals', { text: 'a', priority: 'NOTIFY' }],
    ['another field', { text: 'a', group: 'main' }],
    ['a key that is too long', { text: 'a', idempotency_key: 'k'.repeat(129) }],
  ])('refuses %s', async (_, args) => {
    const { foundation, sendTool } = await open({})
    await using __ = foundation
    expect(sendTool.input.safeParse(args).success).toBe(false)
  })

  it('takes 100,000 characters', async () => {
    const { foundation, sendTool } = await open({})
    await using _ = foundation
    expect(sendTool.input.safeParse({ text: ` ${'🎈'.repeat(100_000)} ` }).success).toBe(true)
  })
})

describeBothDatabases('drop_message', (database) => {
  it('keeps a reviewed message from leaving, once and for all, and logs it', async () => {
    const config = { ...mailConfig, notify_review: 'admin' }
    const { foundation, send, drop, db } = await open({ location: await database.create(), config })
    await using _ = foundation
    const { message_id } = (await send({ text: 'Spam', priority: 'notify' })).value
    expect((await drop(message_id)).value).toEqual({ message_id, state: 'dropped', changed: true })
    expect((await drop(message_id)).value).toEqual({ message_id, state: 'dropped', changed: false })
    const rows = await db.selectFrom('activity').select(['event_type', 'summary']).orderBy('id').execute()
    expect(rows.slice(1)).toEqual([{ event_type: 'message_logged', summary: 'Dropped in review: Spam' }])
  })

  it('refuses what has left, or never was', async () => {
    const { foundation, send, drop } = await open({ location: await database.create() })
    await using _ = foundation
    const { message_id } = (await send({ text: 'Gone', priority: 'notify' })).value
    await expect(drop(message_id)).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(drop('msg_none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describeBothDatabases('requeue_message', (database) => {
  it('sends a dead mail of a message again', async () => {
    const { foundation, transport, outbox, send, requeue } = await open({ location: await database.create() })
    await using _ = foundation
    transport.answers.push(refused)
    const { message_id } = (await send({ text: 'a', priority: 'notify' })).value
    expect((await requeue(message_id)).value).toEqual({ message_id, state: 'pending', changed: true })
    expect((await requeue(message_id)).value).toEqual({ message_id, state: 'pending', changed: false })
    await outbox.deliverDue()
    expect((await requeue(message_id)).value).toEqual({ message_id, state: 'sent', changed: false })
  })

  it('finds the mail of a digest by each of its messages, by its own id and by its Message-ID', async () => {
    const { foundation, transport, outbox, send, requeue, db } = await open({ location: await database.create() })
    await using _ = foundation
    const keeper = new DigestKeeper(foundation, outbox)
    await keeper.digestDue()
    const { message_id } = (await send({ text: 'a' })).value
    foundation.clock.advance(7_200_000)
    await keeper.digestDue()
    const mail = await db.selectFrom('outbox').select(['id', 'message_id']).executeTakeFirstOrThrow()
    for (const id of [message_id, mail.id, mail.message_id]) {
      transport.answers.push(refused)
      await outbox.deliverDue()
      expect((await requeue(id)).value).toMatchObject({ state: 'pending', changed: true })
    }
  })

  it('sends a trigger again only while it would be accepted', async () => {
    const { foundation, transport, outbox, requeue, db } = await open({ location: await database.create() })
    await using _ = foundation
    const { clock } = foundation
    const mail = { kind: 'trigger', messageId: '<trg_1@example.org>', to: 'agents@example.org' } as const
    const outbox_id = await outbox.add(db, { ...mail, subject: '[main] x', text: 'b' })
    const trigger = { id: 'trg_1', source: 'lab', target: 'main', depth: 1, subject: 's', body: 'b', outbox_id }
    await db
      .insertInto('triggers')
      .values({ ...trigger, accepted_at: 0, expires_at: clock.now() + 1 })
      .execute()
    transport.answers.push(refused, refused)
    await outbox.deliverDue()
    expect((await requeue('trg_1')).value).toMatchObject({ changed: true })
    await outbox.deliverDue()
    clock.advance(1)
    await expect(requeue('trg_1')).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('knows what it does not know', async () => {
    const { foundation, requeue } = await open({ location: await database.create() })
    await using _ = foundation
    await expect(requeue('msg_none')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
