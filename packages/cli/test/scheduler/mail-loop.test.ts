import { randomBytes } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { readTriggerToken, signTrigger, triggerHeader } from '../../../scheduler/src/triggers/trigger-token.js'
import { type Deliver, DeliveringSmtp, lmtpTo } from '../../../scheduler/test/support/delivering-smtp.js'
import { dovecotMissing, startDovecot } from '../../../scheduler/test/support/dovecot.js'
import { startHoodiecrow } from '../../../scheduler/test/support/hoodiecrow.js'
import { AgentSession } from './support/agent-session.js'
import { commandOf, SchedulerInstallation } from './support/scheduler-installation.js'

const address = 'callboard@example.org'
const key = randomBytes(32).toString('hex')
const runner = commandOf('ping-pong-agent')
const groups = [
  { folder: 'main', tag: 'main', name: 'Main', admin: true, runner },
  { folder: 'lab', tag: 'lab', name: 'Lab', runner },
]
const patient = { timeout: 40_000, interval: 100 }

/** As a mail that was changed on its way, or written by somebody who has seen one. */
const forged = (raw: Buffer, change: (text: string) => string) => {
  const renamed = raw
    .toString()
    .replace(/^Message-ID: <.*>/im, `Message-ID: <${randomBytes(8).toString('hex')}@b.example>`)
  const text = change(renamed)
  if (text === renamed) throw new Error('nothing was changed')
  return Buffer.from(text)
}

/** What the header of a mail says, signed anew. */
const resigned = (raw: Buffer, change: object, withKey: string) =>
  forged(raw, (text) =>
    text.replace(new RegExp(`^${triggerHeader}:(.*(?:\r\n[ \t].*)*)`, 'im'), (_, token: string) => {
      const reading = readTriggerToken(token, key)
      if (reading.kind !== 'valid') throw new Error(`the token is ${reading.kind}`)
      return `${triggerHeader}: ${signTrigger({ ...reading.payload, ...change }, withKey)}`
    }),
  )

async function playsOverMail(imapUrl: string, deliver: Deliver): Promise<void> {
  await using smtp = await DeliveringSmtp.start(deliver)
  const installation = new SchedulerInstallation({
    groups,
    config: {
      smtp_url: smtp.url,
      imap_url: imapUrl,
      mail_address: address,
      notification_email: 'ada@example.org',
      mail_hmac_key: key,
      trigger_cooldown_ms: 0,
      max_triggers_per_hour: 4,
    },
  })
  await installation.up()
  using operator = await AgentSession.operator(installation)
  await vi.waitFor(
    async () => expect(await operator.get('get_system_status')).toMatchObject({ imap: { connected: true } }),
    patient,
  )
  const { stdout } = await installation.run(['token', 'new', 'ada', '--group', 'lab'])
  using lab = await AgentSession.open(installation, stdout.trim())
  const store = await installation.store()
  const runs = () => store.db.selectFrom('runs').select(['group_folder', 'depth', 'outcome']).orderBy('id').execute()
  const refused = async () => {
    const rows = await store.db
      .selectFrom('activity')
      .select('details')
      .where('event_type', '=', 'email_rejected')
      .execute()
    return rows.map(({ details }) => JSON.parse(details).reason as string)
  }

  // A ping-pong: each run's agent triggers back, until the depth ends it.
  expect(await lab.call('trigger_email', { tag: 'main', body: 'Begin.' })).toMatchObject({
    value: { target_group: 'main', depth: 1, state: 'sent' },
  })
  const rounds = [
    { group_folder: 'main', depth: 1, outcome: 'ok' },
    { group_folder: 'lab', depth: 2, outcome: 'ok' },
    { group_folder: 'main', depth: 3, outcome: 'ok' },
  ]
  await vi.waitFor(async () => expect(await runs()).toEqual(rounds), patient)
  expect(await installation.read('lab', 'answer-2.json')).toMatchObject({ structuredContent: { depth: 3 } })
  const last = await installation.read<{ isError: boolean; _meta: object }>('main', 'answer-3.json')
  expect(last).toMatchObject({ isError: true, _meta: { 'callboard/error': { code: 'DEPTH_LIMIT' } } })
  expect(smtp.taken).toHaveLength(3)

  // One more is on its way; whoever sees it can't make anything else of it, nor of one that has come.
  smtp.isHolding = true
  expect(await lab.call('trigger_email', { tag: 'main', body: 'Once more.' })).toMatchObject({ value: { depth: 1 } })
  const [played, , , awaited] = smtp.taken as [Buffer, Buffer, Buffer, Buffer]
  const forgeries = [
    [forged(played, (text) => `${text}\r\n`), 'trigger_consumed'],
    [forged(awaited, (text) => text.replace('Once more.', 'Once less.')), 'trigger_altered'],
    [forged(awaited, (text) => text.replace('Subject: [main]', 'Subject: [lab]')), 'trigger_altered'],
    [resigned(awaited, { depth: 0 }, key), 'token_malformed'],
    [resigned(awaited, { depth: 2 }, key), 'trigger_altered'],
    [resigned(awaited, {}, randomBytes(32).toString('hex')), 'token_forged'],
    [resigned(awaited, { id: 'trg_01AAAAAAAAAAAAAAAAAAAAAAAA' }, key), 'trigger_unknown'],
  ] as const
  for (const [raw] of forgeries) await deliver(raw)
  await vi.waitFor(async () => expect(await refused()).toHaveLength(forgeries.length), patient)
  expect((await refused()).sort()).toEqual(forgeries.map(([, reason]) => reason).sort())
  // The same mail once more is no other mail.
  await deliver(played)
  expect(await runs()).toEqual(rounds)

  // The true one still counts; its agent finds the hour's limit used up.
  await deliver(awaited)
  await vi.waitFor(
    async () => expect(await runs()).toEqual([...rounds, { group_folder: 'main', depth: 1, outcome: 'ok' }]),
    patient,
  )
  expect(await installation.read('main', 'answer-1.json')).toMatchObject({
    isError: true,
    _meta: { 'callboard/error': { code: 'RATE_LIMITED', retryable: true } },
  })
  expect(await refused()).toHaveLength(forgeries.length)
  expect(smtp.taken).toHaveLength(4)
  const { entries } = await operator.get('get_activity_log', { event_type: 'trigger_email_sent' })
  expect(entries).toHaveLength(4)
}

describe('triggers between two groups, by mail: hub, scheduler, SMTP, mailbox and agents', () => {
  it('with hoodiecrow', async () => {
    await using mailbox = await startHoodiecrow()
    await playsOverMail(mailbox.url, (raw) => mailbox.deliver(raw.toString()))
  }, 120_000)

  it.skipIf(dovecotMissing !== undefined)(
    `with Dovecot, over LMTP${dovecotMissing ? ` (${dovecotMissing})` : ''}`,
    async () => {
      await using mailbox = await startDovecot()
      await playsOverMail(mailbox.url, lmtpTo(mailbox.lmtpPort, address))
    },
    120_000,
  )
})
