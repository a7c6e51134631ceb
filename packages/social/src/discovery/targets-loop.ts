import { SocialFailure } from '../envelope/failure.js'
import { targetPostsMax, targetsPerTurnMax } from '../limits.js'
import type { Loop } from '../loops/loop.js'
import { admits } from './admission.js'
import type { Reading } from './reading.js'
import { readCursor, writeCursor } from './reading-cursor.js'
import { knownTarget, markTargets, rememberTarget, type TargetAccount, targetAccounts } from './target-accounts.js'

const name = 'targets'

/** Reads what the configured accounts wrote last; then, in mode autopilot, replies. */
export function targetsLoop(reading: Reading): Loop {
  const { foundation, network, replies } = reading
  const { config, store } = foundation
  return {
    name,
    network: network.name,
    everyMs: config.intervals.mentions_seconds * 1000,
    keepsHours: true,
    logType: 'target_reply',
    async turn(signal) {
      await store.transaction((tx) => markTargets(tx, config))
      const problem = network.capabilities.canDiscover ? await readTargets(reading, signal) : undefined
      await replies?.run('target', signal)
      if (problem !== undefined) throw problem
    },
  }
}

/** The first failure of an account: it does not keep the others waiting, and counts when all have had their turn. */
async function readTargets(reading: Reading, signal: AbortSignal): Promise<Error | undefined> {
  const { foundation, network } = reading
  const { config, store, clock } = foundation
  const all = targetAccounts(config).filter((target) => target.network === network.name)
  const last = await readCursor(store.db, network.name, name)
  let problem: Error | undefined
  for (const target of behind(all, last).slice(0, targetsPerTurnMax)) {
    signal.throwIfAborted()
    if (!(await admits(foundation, network, 'search'))) return problem
    await writeCursor(store.db, network.name, name, target.account, clock.now())
    try {
      await readTarget(reading, target, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof SocialFailure)) throw error
      problem ??= error
    }
  }
  return problem
}

async function readTarget(
  { foundation, network, discovered }: Reading,
  target: TargetAccount,
  signal: AbortSignal,
): Promise<void> {
  const { store } = foundation
  const known = await knownTarget(store.db, target)
  const { id } = await network.account(signal)
  const page = await network.authorPosts(known?.account_id ?? target.account, undefined, signal)
  const posts = page.items.filter(({ isRepost }) => !isRepost).slice(0, targetPostsMax)
  const newest = posts[0]
  if (newest === undefined) return
  await store.transaction(async (tx) => {
    if (known === undefined) await rememberTarget(tx, target, newest)
    await discovered.store(tx, posts, { network: network.name, source: 'target', ownAccountId: id })
  })
}

/** All, from the one behind that account on. */
function behind(all: readonly TargetAccount[], last: string | undefined): readonly TargetAccount[] {
  const start = all.findIndex(({ account }) => account === last) + 1
  return [...all.slice(start), ...all.slice(0, start)]
}
