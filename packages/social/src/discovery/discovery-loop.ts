import { searchPostsMax } from '../limits.js'
import type { Loop } from '../loops/loop.js'
import { admits } from './admission.js'
import { keyOf, keywordAfter, keywordsOf } from './keywords.js'
import type { Reading } from './reading.js'
import { readCursor, writeCursor } from './reading-cursor.js'

const name = 'discovery'

/** Searches for the next keyword and stores what is found; then, in mode autopilot, replies. */
export function discoveryLoop(reading: Reading): Loop {
  const { foundation, network, replies } = reading
  return {
    name,
    network: network.name,
    everyMs: foundation.config.intervals.discovery_seconds * 1000,
    keepsHours: true,
    logType: 'discovery_reply',
    async turn(signal) {
      if (network.capabilities.canSearch && network.capabilities.canDiscover) await searchNext(reading, signal)
      await replies?.run('search', signal)
    },
  }
}

async function searchNext({ foundation, network, discovered }: Reading, signal: AbortSignal): Promise<void> {
  const { store, config, clock } = foundation
  const last = await readCursor(store.db, network.name, name)
  const keyword = keywordAfter(keywordsOf(config.business), last)
  if (keyword === undefined || !(await admits(foundation, network, 'search'))) return
  // Before the search: a keyword that the network refuses does not keep the others waiting.
  await writeCursor(store.db, network.name, name, keyword, clock.now())
  const source = `${name}:${keyOf(keyword)}`
  const cursor = await readCursor(store.db, network.name, source)
  const { id } = await network.account(signal)
  const page = await network.search({ keyword, limit: searchPostsMax }, cursor, signal)
  await store.transaction(async (tx) => {
    const found = { network: network.name, source: 'search', ownAccountId: id } as const
    await discovered.store(tx, page.items.slice(0, searchPostsMax), found)
    await writeCursor(tx, network.name, source, page.cursor, clock.now())
  })
}
