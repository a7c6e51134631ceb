// The social worker without a hub: it answers its parent's calls, and publishes once it is told to.
import { defineWorker } from '@callboard/worker'
import { systemClock } from '@callboard/worker/clock'
import { connectForTest } from '@callboard/worker/testing'
import { openSocial } from '../../../dist/open-social.js'

const { location, config, aheadMs, dieAt } = JSON.parse(process.argv[2])
const clock = {
  now: () => systemClock.now() + aheadMs,
  monotonic: systemClock.monotonic,
  sleepUntil: (time, signal) => systemClock.sleepUntil(time - aheadMs, signal),
}
const callers = {
  agent: { principal: 'agent:ada' },
  operator: { principal: 'operator:root', roles: ['agent', 'operator'] },
}

const worker = defineWorker({ service: 'social', version: '1.0.0', replicas: 'many' })
const variables = { CALLBOARD_LOG_LEVEL: 'fatal' }
const social = await openSocial(worker, { ...location, config, variables }, { clock })
const link = await connectForTest(worker)
if (dieAt !== undefined) await dieBefore(dieAt)

process.on('message', async ({ id, tool, args, who }) => {
  if (tool === 'start') {
    await social.start()
    process.send({ id })
  } else {
    const { structuredContent } = await link.callTool(tool, args, callers[who])
    process.send({ id, envelope: structuredContent })
  }
})
process.once('disconnect', () => process.exit(0))
process.send('ready')

/** Of the statements that write down what becomes of a post. */
async function dieBefore(count) {
  const { createRequire } = await import('node:module')
  const requireOfStore = createRequire(import.meta.resolve('@callboard/store'))
  const Database = requireOfStore('better-sqlite3')
  const statement = Object.getPrototypeOf(new Database(':memory:').prepare('select 1'))
  const counted =
    /^\s*(insert into|update|delete from) "(approval_queue|outbox|outbox_parts|rate_ledger|local_posts|network_states|action_log)"/i
  let writes = 0
  for (const method of ['run', 'all', 'get', 'iterate']) {
    const original = statement[method]
    statement[method] = function (...parameters) {
      if (counted.test(this.source)) writes += 1
      if (writes < count) return original.apply(this, parameters)
      process.kill(process.pid, 'SIGKILL')
      for (;;);
    }
  }
}
