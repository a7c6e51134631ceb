// Triggers in a process of its own. Built code: Node 20 cannot run TypeScript.
import { openStore } from '@callboard/store'
import { systemClock } from '@callboard/worker/clock'
import { parseSchedulerConfig } from '../../dist/config.js'
import { idMaker } from '../../dist/ids.js'
import { migrations } from '../../dist/records/migrations.js'
import { admitTrigger } from '../../dist/triggers/admit-trigger.js'

const { location, attempts } = JSON.parse(process.argv[2])
const options = { name: 'scheduler', migrations, durability: 'full', access: 'shared', ...location }
const store = await openStore(options)
const config = parseSchedulerConfig({ trigger_cooldown_ms: 0, max_triggers_per_hour: 25 })
const foundation = { config, clock: systemClock, newId: idMaker(systemClock) }
const trigger = { source: 'lab', target: 'main', depth: 0, subject: '[main] x', body: 'Work' }
const outcomes = []
for (let attempt = 0; attempt < attempts; attempt++) {
  const { kind } = await store.transaction((db) => admitTrigger(db, foundation, trigger))
  outcomes.push(kind)
}
await store.close()
process.send(outcomes)
process.disconnect()
