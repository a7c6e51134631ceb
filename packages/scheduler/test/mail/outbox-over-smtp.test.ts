import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describeBothDatabases } from '@callboard/store/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { beforeAll, expect, it } from 'vitest'
import { OutboxDelivery } from '../../src/mail/outbox-delivery.js'
import { smtpTransportOf } from '../../src/mail/smtp-transport.js'
import { DigestKeeper } from '../../src/messages/digest-keeper.js'
import { MessageDesk } from '../../src/messages/message-desk.js'
import { mailConfig } from '../support/mail-config.js'
import { openTestFoundation, type TestFoundationOptions } from '../support/test-foundation.js'
import { TestSmtpServer } from '../support/test-smtp-server.js'

const workspace = fileURLToPath(new URL('../../../../', import.meta.url))

/** The killed process runs the compiled package, so that has to be the one that is tested. */
beforeAll(() => {
  execFileSync(`${workspace}node_modules/.bin/tsc`, ['-b', 'packages/scheduler'], { cwd: workspace, stdio: 'pipe' })
})

const configFor = ({ port }: { readonly port: number }) => ({ ...mailConfig, smtp_url: `smtp://127.0.0.1:${port}` })

async function open(options: TestFoundationOptions) {
  const foundation = await openTestFoundation(options)
  const transport = smtpTransportOf(foundation.config, foundation.clock)!
  const outbox = new OutboxDelivery(foundation, transport)
  const desk = new MessageDesk(foundation, outbox)
  const base = { group: 'lab', depth: 0 }
  return {
    ...foundation,
    outbox,
    keeper: new DigestKeeper(foundation, outbox),
    post: (priority: 'notify' | 'digest', text: string) =>
      foundation.store.transaction((tx) => desk.post(tx, { ...base, priority, text })),
    async states() {
      const rows = await foundation.store.db.selectFrom('messages').select('state').orderBy('id').execute()
      return rows.map(({ state }) => state)
    },
    async [Symbol.asyncDispose]() {
      transport.close()
      await foundation[Symbol.asyncDispose]()
    },
  }
}

describeBothDatabases('over a server that fails', (database) => {
  it('a digest loses no item, whether the server dies in the content, after it, or answers 4xx', async () => {
    await using server = await TestSmtpServer.start()
    await using worker = await open({ location: await database.create(), config: configFor(server) })
    const { clock, keeper, outbox } = worker
    await keeper.digestDue()
    await worker.post('digest', 'First item')
    await worker.post('digest', 'Second item')
    clock.advance(7_200_000)
    await keeper.digestDue()
    for (const fate of ['die_in_data', 'die_after_data', 451] as const) {
      server.fates.push(fate)
      const next = await outbox.deliverDue()
      expect(await worker.states()).toEqual(['batched', 'batched'])
      clock.set(next!)
    }
    await worker.post('digest', 'For the next one')
    await outbox.deliverDue()
    expect(await worker.states()).toEqual(['sent', 'sent', 'batched'])
    expect(server.accepted).toHaveLength(1)
    expect(server.accepted[0]!.text).toMatch(/First item.*Second item/s)
    expect(server.seen).toHaveLength(3)
    expect(new Set(server.seen)).toEqual(new Set([server.accepted[0]!.messageId]))
  })

  it('a notice that was written while it was away arrives once when it is back', async () => {
    const server = await TestSmtpServer.start()
    const { port } = server
    await server[Symbol.asyncDispose]()
    await using worker = await open({ location: await database.create(), config: configFor({ port }) })
    const { outboxId } = await worker.post('notify', 'The task daily was paused.')
    expect(await worker.outbox.sendNow(outboxId!, 10_000)).toBe('queued')
    await using again = await TestSmtpServer.start({}, '127.0.0.1', port)
    worker.clock.advance(60_000)
    await worker.outbox.deliverDue()
    await worker.outbox.deliverDue()
    expect(again.accepted.map(({ subject }) => subject)).toEqual(['[lab] The task daily was paused.'])
    expect(await worker.states()).toEqual(['sent'])
  })

  it('a process killed between the 250 and the commit leaves one duplicate at most, with the same Message-ID', async () => {
    await using server = await TestSmtpServer.start()
    const location = await database.create()
    const config = configFor(server)
    await using worker = await open({ location, config, clock: new VirtualClock(Date.now()) })
    const { messageId } = await worker.post('notify', 'Once, or twice')
    const taken = await killedAfterTaken({ location, config })
    expect(taken).toBe('taken')
    expect(server.accepted).toHaveLength(1)
    expect(await worker.states()).toEqual(['queued'])
    worker.clock.set(Date.now())
    const next = await worker.outbox.deliverDue()
    expect(server.accepted).toHaveLength(1)
    worker.clock.set(next!)
    await worker.outbox.deliverDue()
    expect(await worker.outbox.deliverDue()).toBeUndefined()
    expect(server.accepted.map((mail) => mail.messageId)).toEqual(
      Array(2).fill(expect.stringMatching(`^<${messageId}\\..*@example.org>$`)),
    )
    expect(new Set(server.seen).size).toBe(1)
    expect(await worker.states()).toEqual(['sent'])
    const events = await worker.store.db.selectFrom('activity').select('event_type').orderBy('id').execute()
    expect(events.map(({ event_type }) => event_type)).toEqual(['message_queued', 'email_sent'])
  })
})

/** What the process said before it was killed. */
async function killedAfterTaken(task: object): Promise<unknown> {
  const child = fork(new URL('../support/processes/sender.mjs', import.meta.url), [JSON.stringify(task)])
  const exited = once(child, 'exit')
  const [said] = await Promise.race([once(child, 'message'), exited])
  child.kill('SIGKILL')
  await exited
  return said
}
