import type { Context, ToolError } from '@callboard/worker'
import { describe, expect, it } from 'vitest'
import type { NewMail } from '../../src/mail/outbox.js'
import type { Actor } from '../../src/tools/actor.js'
import type { ChangingTool } from '../../src/tools/scheduler-tool.js'
import { triggerEmailTool } from '../../src/tools/trigger-email-tool.js'
import { readTriggerToken } from '../../src/triggers/trigger-token.js'
import { type MailParts, mailKey, openMailParts } from '../support/mail-parts.js'

const context = {} as Context

/** As the wrapper round all tools does it: one transaction, then what comes afterwards. */
async function call(parts: MailParts, args: object, { depth = 0, source = 'lab' } = {}) {
  const tool = triggerEmailTool(parts) as unknown as ChangingTool<never, never>
  const actor: Actor = {
    principal: `agent:${source}`,
    group: parts.groups.byFolder(source)!,
    isAdmin: false,
    isOperator: false,
    triggerDepth: depth,
  }
  const input = (tool.input as { parse(value: unknown): unknown }).parse(args) as never
  const reply = await parts.store.transaction((db) => tool.change(input, actor, db, context))
  return (await tool.afterwards!(reply, actor, context)) as { value: Record<string, unknown>; text: string }
}

const refusalOf = (parts: MailParts, args: object, options?: { depth?: number; source?: string }) =>
  call(parts, args, options).then(
    () => expect.unreachable('It was not refused'),
    (error: ToolError) => error,
  )

describe('trigger_email', () => {
  it('sends a signed mail to itself and says so', async () => {
    const mails: NewMail[] = []
    await using parts = await openMailParts({
      send: async (mail) => {
        mails.push(mail)
        return 'sent'
      },
    })
    const { value, text } = await call(parts, { tag: 'MAIN', body: ' Do it. ' }, { depth: 1 })
    expect(value).toEqual({
      trigger_id: expect.stringMatching(/^trg_[0-9A-Z]{26}$/),
      tag: 'main',
      target_group: 'main',
      depth: 2,
      state: 'sent',
      warnings: ['The group main has no runner: the run will fail.'],
    })
    expect(text).toMatch(/^Trigger trg_\w+ to main: sent \(depth 2\)\./)
    const { messageId, to, subject, text: body, headers = {} } = mails[0]!
    expect({ messageId, to, subject, body }).toEqual({
      messageId: `<${value['trigger_id']}@example.org>`,
      to: 'callboard@example.org',
      subject: '[main] Agent Trigger',
      body: 'Do it.',
    })
    expect(headers).toMatchObject({ 'Auto-Submitted': 'auto-generated', 'X-Callboard-Depth': '2' })
    const now = parts.clock.now()
    expect(readTriggerToken(headers['X-Callboard-Trigger']!, mailKey)).toMatchObject({
      kind: 'valid',
      payload: { id: value['trigger_id'], src: 'lab', dst: 'main', depth: 2, iat: now, exp: now + 96 * 3_600_000 },
    })
  })

  it('says queued when the first attempt fails, and warns when the server refuses for good', async () => {
    await using queued = await openMailParts({ send: async () => 'queued' })
    expect((await call(queued, { tag: 'main', body: 'x' })).value['state']).toBe('queued')
    await using dead = await openMailParts({ send: async () => 'dead' })
    const { value } = await call(dead, { tag: 'main', body: 'x' })
    expect(value['state']).toBe('queued')
    expect(value['warnings']).toContainEqual(expect.stringMatching(/requeue_message/))
  })

  it('hands over in the database where the transport is internal, without any mail', async () => {
    const config = {
      trigger_transport: 'internal',
      smtp_url: undefined,
      imap_url: undefined,
      notification_email: undefined,
    }
    await using parts = await openMailParts({ config })
    const { value } = await call(parts, { tag: 'main', body: 'x' }, { depth: 2 })
    expect(value).toMatchObject({ state: 'sent', depth: 3 })
    expect(value['warnings']).toContainEqual(expect.stringMatching(/last depth \(3\/3\)/))
    expect(await parts.runs()).toMatchObject([{ trigger_id: value['trigger_id'], group_folder: 'main', depth: 3 }])
    expect(await parts.events()).toEqual(['trigger_received'])
    const { consumed_at: consumedAt } = await parts.store.db
      .selectFrom('triggers')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(consumedAt).toBe(parts.clock.now())
    expect(await parts.store.db.selectFrom('outbox').selectAll().execute()).toEqual([])
  })

  it('refuses in this order: form, tag, mail, depth, pair, hour', async () => {
    await using off = await openMailParts({ config: { smtp_url: undefined, mail_hmac_key: undefined } })
    const bad = { tag: 'ma\nin', subject_suffix: 'x', body: 'x' }
    expect(await refusalOf(off, bad, { depth: 3 })).toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await refusalOf(off, { tag: '../x', body: 'x' }, { depth: 3 })).toMatchObject({ code: 'INVALID_ARGUMENT' })
    const unknown = await refusalOf(off, { tag: 'content', body: 'x' }, { depth: 3 })
    expect(unknown).toMatchObject({ code: 'NOT_FOUND', details: { known_tags: ['lab', 'main'] } })
    const unset = await refusalOf(off, { tag: 'main', body: 'x' }, { depth: 3 })
    expect(unset).toMatchObject({ code: 'NOT_CONFIGURED', details: { missing: ['SMTP_URL', 'MAIL_HMAC_KEY'] } })

    await using parts = await openMailParts({ config: { max_triggers_per_hour: 1 } })
    await call(parts, { tag: 'main', body: 'x' })
    const deep = await refusalOf(parts, { tag: 'main', body: 'x' }, { depth: 3 })
    expect(deep).toMatchObject({ code: 'DEPTH_LIMIT', retryable: false, details: { depth: 3, max: 3 } })
    expect(deep.message).toMatch('3/3')
    const pair = await refusalOf(parts, { tag: 'main', body: 'x' })
    expect(pair).toMatchObject({ code: 'RATE_LIMITED', retryable: true, retryAfterMs: 60_000 })
    const hour = await refusalOf(parts, { tag: 'lab', body: 'x' })
    expect(hour).toMatchObject({ code: 'RATE_LIMITED', retryable: true, retryAfterMs: 3_600_000 })
    for (const refused of [unknown, unset, deep, pair, hour]) expect(refused.details!['event']).toBe('trigger_refused')
    expect(await parts.store.db.selectFrom('triggers').selectAll().execute()).toHaveLength(1)
    expect(await parts.store.db.selectFrom('outbox').selectAll().execute()).toHaveLength(1)
  })

  it.each([
    ['a line end in the suffix', { subject_suffix: 'x\r\nBcc: eve@example.org' }],
    ['a line end behind the tag', { tag: 'main\n' }],
    ['a line separator', { subject_suffix: 'x\u2028y' }],
    ['another control character', { subject_suffix: 'x\u0007' }],
    ['brackets', { tag: '[main]' }],
    ['an empty suffix', { subject_suffix: '  ' }],
    ['a long suffix', { subject_suffix: 'x'.repeat(201) }],
    ['half a character', { subject_suffix: '\ud83d' }],
  ])('refuses %s', async (_name, args) => {
    await using parts = await openMailParts()
    const refused = await refusalOf(parts, { tag: 'main', body: 'x', ...args })
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', details: { event: 'trigger_refused' } })
    expect(refused.message).toMatch(/^(tag|subject_suffix) "/)
  })
})
