// An engine that works on what is due, and kills itself before the n-th statement that writes.
import { createRequire } from 'node:module'
import { openStore } from '@callboard/store'
import { parseSchedulerConfig } from '../../../dist/config.js'
import { Engine } from '../../../dist/engine/engine.js'
import { idMaker } from '../../../dist/ids.js'
import { OutboxDelivery } from '../../../dist/mail/outbox-delivery.js'
import { MessageDesk } from '../../../dist/messages/message-desk.js'
import { migrations } from '../../../dist/records/migrations.js'

const { location, times, dieAt } = JSON.parse(process.argv[2])
let now = times[0]
const clock = {
  now: () => now,
  monotonic: () => now - times[0],
  // Nobody here sleeps until a time: only until what it waits for is over.
  sleepUntil: (_, signal) => new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true })),
}
const store = await openStore({ name: 'scheduler', migrations, ...location, access: 'shared' })
const main = { folder: 'main', tag: 'main', name: 'Main', isAdmin: true, envAllow: [] }
const foundation = {
  config: parseSchedulerConfig({}),
  store,
  clock,
  newId: idMaker(clock),
  groups: { all: [main], admin: main, byFolder: () => main, byTag: () => main },
  log: { info() {}, warn() {}, error() {} },
  timeZone: 'UTC',
}
const failure = { class: 'exit', text: 'The first attempt fails.', transient: true }
const engine = new Engine({
  ...foundation,
  processId: 'process_dying',
  hub: { mintToken: async () => 'token', revokeToken: async () => {}, revokeRun: async () => {} },
  runner: { run: async ({ attempt }) => (attempt === 1 ? { text: '', error: failure } : { text: 'done' }) },
  messages: new MessageDesk(foundation, new OutboxDelivery(foundation, undefined)),
  wakeMail() {},
  others: () => 0,
  killGroup: async () => {},
})
engine.hubChanged(true)
dieBefore(dieAt)
for (const time of times) {
  now = time
  await engine.tick()
  await engine.settled()
}
process.exit(0)

function dieBefore(count) {
  const requireOfStore = createRequire(import.meta.resolve('@callboard/store'))
  const Database = requireOfStore('better-sqlite3')
  const statement = Object.getPrototypeOf(new Database(':memory:').prepare('select 1'))
  let writes = 0
  for (const method of ['run', 'all', 'get', 'iterate']) {
    const original = statement[method]
    statement[method] = function (...parameters) {
      if (!/^\s*(select|pragma)\b/i.test(this.source)) writes += 1
      if (writes < count) return original.apply(this, parameters)
      process.kill(process.pid, 'SIGKILL')
      for (;;);
    }
  }
}
