import { accountOfTarget, networkOfTarget } from '../config/target-account.js'
import type { NetworkName, SocialConfig } from '../config.js'
import type { NetworkPost } from '../networks/network-adapter.js'
import type { Row } from '../records/row.js'
import type { Database } from '../records/schema.js'

/** An account of `targets.accounts`, as it is written there. */
export interface TargetAccount {
  readonly network: NetworkName
  /** Handle or id, without the @ before it. */
  readonly account: string
}

/** `bluesky:alice.bsky.social`, `mastodon:@a@host`, or without a network: the default one. Each account once. */
export function targetAccounts({
  targets,
  networks,
}: Pick<SocialConfig, 'targets' | 'networks'>): readonly TargetAccount[] {
  const all = targets.accounts.map((written) => ({
    network: networkOfTarget(written) ?? networks[0],
    account: accountOfTarget(written),
  }))
  const different = new Map(all.map((target) => [`${target.network}:${sameCase(target.account)}`, target]))
  return [...different.values()].filter(({ account }) => account !== '')
}

/** The row of an account that was read before: its id does not change, its handle may. */
export async function knownTarget(db: Database, target: TargetAccount): Promise<Row<'targets'> | undefined> {
  const rows = await db.selectFrom('targets').selectAll().where('network', '=', target.network).execute()
  return rows.find((row) => isSame(row, target))
}

/** Keeps the id that the network names as the author of the account's posts. */
export async function rememberTarget(db: Database, target: TargetAccount, post: NetworkPost): Promise<void> {
  const { network, account } = target
  // The configured handle, because it is by this that the row is found again; networks may write it otherwise.
  const username = account === post.authorId ? post.authorUsername : account
  await db
    .insertInto('targets')
    .values({ network, account_id: post.authorId, username, total_replies_sent: 0, status: 'active' })
    .onConflict((same) => same.columns(['network', 'account_id']).doUpdateSet({ username, status: 'active' }))
    .execute()
}

/** Accounts that are configured no longer become `removed`, on whatever network; those that are again become `active`. */
export async function markTargets(db: Database, config: SocialConfig): Promise<void> {
  const targets = targetAccounts(config)
  for (const row of await db.selectFrom('targets').selectAll().execute()) {
    const isWanted = targets.some((target) => target.network === row.network && isSame(row, target))
    const status = isWanted ? 'active' : 'removed'
    if (row.status === status) continue
    await db
      .updateTable('targets')
      .set({ status })
      .where('network', '=', row.network)
      .where('account_id', '=', row.account_id)
      .execute()
  }
}

/** Behind a reply that was posted; nothing where its author is no target. */
export async function countTargetReply(
  db: Database,
  { network, authorId, at }: { readonly network: NetworkName; readonly authorId: string; readonly at: number },
): Promise<void> {
  const whose = db.updateTable('targets').where('network', '=', network).where('account_id', '=', authorId)
  await whose.where('first_engagement_at', 'is', null).set({ first_engagement_at: at }).execute()
  await whose.set((it) => ({ last_reply_at: at, total_replies_sent: it('total_replies_sent', '+', 1) })).execute()
}

function isSame({ account_id: id, username }: Row<'targets'>, { account }: TargetAccount): boolean {
  return id === account || sameCase(username) === sameCase(account)
}

const sameCase = (account: string) => account.toLowerCase()
