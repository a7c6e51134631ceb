// A process that sends what is due and is killed by its parent after the server's 250, before that is written down.
import { openStore } from '@callboard/store'
import { systemClock } from '@callboard/worker/clock'
import { parseSchedulerConfig } from '../../../dist/config.js'
import { idMaker } from '../../../dist/ids.js'
import { OutboxDelivery } from '../../../dist/mail/outbox-delivery.js'
import { smtpTransportOf } from '../../../dist/mail/smtp-transport.js'
import { migrations } from '../../../dist/records/migrations.js'

const { location, config: section } = JSON.parse(process.argv[2])
const config = parseSchedulerConfig(section)
const store = await openStore({ name: 'scheduler', migrations, ...location, durability: 'full', access: 'shared' })
const log = { info() {}, warn() {}, error() {} }
const foundation = { config, store, clock: systemClock, newId: idMaker(systemClock), log, timeZone: 'UTC' }
const outbox = new OutboxDelivery(foundation, smtpTransportOf(config, systemClock), {
  onSent: () => {
    process.send('taken')
    return new Promise(() => {})
  },
})
await outbox.deliverDue()
