import type { Loop } from '../loops/loop.js'
import { admits } from './admission.js'
import type { Reading } from './reading.js'
import { readCursor, writeCursor } from './reading-cursor.js'

const name = 'mentions'

/** Reads who mentions us, from where it was read last; then, in mode autopilot, replies. */
export function mentionsLoop(reading: Reading): Loop {
  const { foundation, network, replies } = reading
  return {
    name,
    network: network.name,
    everyMs: foundation.config.intervals.mentions_seconds * 1000,
    keepsHours: true,
    logType: 'mention_reply',
    async turn(signal) {
      if (network.capabilities.canDiscover) await readMentions(reading, signal)
      await replies?.run('mention', signal)
    },
  }
}

async function readMentions({ foundation, network, discovered }: Reading, signal: AbortSignal): Promise<void> {
  const { store, clock } = foundation
  if (!(await admits(foundation, network, 'mention_check'))) return
  const cursor = await readCursor(store.db, network.name, name)
  const { id } = await network.account(signal)
  const page = await network.mentions(cursor, signal)
  await store.transaction(async (tx) => {
    await discovered.store(tx, page.items, { network: network.name, source: 'mention', ownAccountId: id })
    await writeCursor(tx, network.name, name, page.cursor, clock.now())
  })
}
