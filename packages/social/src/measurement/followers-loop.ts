import { recordAction } from '../activity/record-action.js'
import type { Foundation } from '../foundation.js'
import type { Loop } from '../loops/loop.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import { utcDate } from './utc-date.js'

/** Oftener than daily, so that no date is left out; the network is asked for the first turn of a date only. */
const everyMs = 60 * 60_000

/** Notes once a day, UTC, how many follow the account. */
export function followersLoop({ store, clock }: Foundation, network: NetworkAdapter): Loop {
  return {
    name: 'followers',
    network: network.name,
    everyMs,
    keepsHours: false,
    async turn(signal) {
      const at = clock.now()
      const date = utcDate(at)
      const known = await store.db
        .selectFrom('follower_snapshots')
        .select('date')
        .where('network', '=', network.name)
        .where('date', '=', date)
        .executeTakeFirst()
      if (known !== undefined) return
      const { followers, following, posts, isUncounted } = await network.account(signal)
      if (isUncounted) return
      const counts = { follower_count: followers, following_count: following, tweet_count: posts }
      await store.transaction(async (tx) => {
        await tx
          .insertInto('follower_snapshots')
          .values({ network: network.name, date, ...counts, at })
          .onConflict((same) => same.columns(['network', 'date']).doNothing())
          .execute()
        const message = `Noted ${followers} followers on ${network.name}.`
        await recordAction(tx, {
          at,
          type: 'analytics',
          status: 'success',
          message,
          metadata: { network: network.name, ...counts },
        })
      })
    },
  }
}
