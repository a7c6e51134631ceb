import { expect, it } from 'vitest'
import { OutboxDelivery } from '../../src/mail/outbox-delivery.js'
import { DigestKeeper } from '../../src/messages/digest-keeper.js'
import { MessageDesk } from '../../src/messages/message-desk.js'
import { MessageReleases } from '../../src/messages/message-releases.js'
import { PostOffice } from '../../src/messages/post-office.js'
import { FakeTransport } from '../support/fake-transport.js'
import { mailConfig } from '../support/mail-config.js'
import { openTestFoundation } from '../support/test-foundation.js'

class CheckedTransport extends FakeTransport {
  readonly log: string[] = []
  check = async () => void this.log.push('checked')
  close = () => void this.log.push('closed')
}

async function open(transport: CheckedTransport, config: object = mailConfig) {
  const foundation = await openTestFoundation({ config })
  const delivery = new OutboxDelivery(foundation, transport)
  const desk = new MessageDesk(foundation, delivery, { startReview: async () => true })
  const digest = new DigestKeeper(foundation, delivery)
  const releases = new MessageReleases(foundation, delivery)
  const office = new PostOffice(foundation, { delivery, releases, digest, transport })
  const post = (priority: 'notify' | 'digest', text: string) =>
    foundation.store.transaction((tx) => desk.post(tx, { group: 'lab', depth: 0, priority, text }))
  return { foundation, clock: foundation.clock, delivery, office, post }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

it('delivers what it is woken for, makes digests when they are due, and ends', async () => {
  const transport = new CheckedTransport()
  const { foundation, clock, delivery, office, post } = await open(transport)
  await using _ = foundation
  office.start()
  await post('notify', 'Now')
  delivery.wake()
  await until(() => transport.mails.length === 1)
  await post('digest', 'Later')
  // The loops look once a minute; each look may need several turns.
  for (let passed = 0; transport.mails.length < 2 && passed < 150; passed++) {
    await until(() => clock.nextWake !== undefined)
    clock.advance(60_000)
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(transport.mails.map(({ subject }) => subject.slice(0, 16))).toEqual(['[lab] Now', 'Callboard digest'])
  await office.close()
  await office.close()
  expect(transport.log).toContain('checked')
  expect(transport.log.at(-1)).toBe('closed')
  expect(clock.nextWake).toBeUndefined()
})

it('releases a reviewed message when its time has come', async () => {
  const transport = new CheckedTransport()
  const { foundation, clock, office, post } = await open(transport, { ...mailConfig, notify_review: 'admin' })
  await using _ = foundation
  await post('notify', 'Reviewed')
  clock.advance(15 * 60_000)
  await using __ = office
  office.start()
  await until(() => transport.mails.length === 1)
})

it('does not wait for a server that hangs when it ends', async () => {
  const transport = new CheckedTransport()
  transport.check = () => new Promise(() => {})
  const { foundation, office } = await open(transport)
  await using _ = foundation
  office.start()
  await office.close()
})
