import type { Database } from '../../records/schema.js'

interface SamplePost {
  readonly account: SampleAccount
  /** Before the first start. */
  readonly minutesAgo: number
  readonly text: string
  readonly likes: number
  readonly reposts: number
  readonly replies: number
}

/** How many follow each of them: nobody does in the table, and an account that nobody follows scores low. */
const sampleFollowers = {
  sample_mira: 2_400,
  sample_jonas: 860,
  sample_ada: 5_200,
  sample_tove: 1_350,
  sample_kofi: 90,
} as const
type SampleAccount = keyof typeof sampleFollowers

/** Newest first; the last one fits no profile, so that a feed has something to leave out. They say what they are, so that nobody takes them for people. */
const samplePosts: readonly SamplePost[] = [
  {
    account: 'sample_mira',
    minutesAgo: 2,
    text: '[Sample] Today I put three MCP servers behind one address. My AI agents see a single list of agent tools, and I see a single log. How do you keep your list short?',
    likes: 96,
    reposts: 31,
    replies: 2,
  },
  {
    account: 'sample_ada',
    minutesAgo: 4,
    text: '[Sample] A rule that has served us well: agents may draft anything, and nothing leaves without human approval. Reading ten drafts takes two minutes. Undoing one wrong post takes a week.',
    likes: 188,
    reposts: 64,
    replies: 4,
  },
  {
    account: 'sample_tove',
    minutesAgo: 6,
    text: '[Sample] Self-hosting a small server on open networks again, and it feels like having a front garden: anyone may walk by, and I decide what grows there. Next step: let MCP tools water it.',
    likes: 52,
    reposts: 18,
    replies: 1,
  },
  {
    account: 'sample_jonas',
    minutesAgo: 9,
    text: '[Sample] Question to people who run AI agents every day: which of your agent workflows still needs you, and at which step? Mine is the last one: pressing send.',
    likes: 34,
    reposts: 7,
    replies: 5,
  },
  {
    account: 'sample_ada',
    minutesAgo: 13,
    text: '[Sample] Wrote down what makes agent tools pleasant to use: errors that say what to do next, limits that are stated, and calls that can be repeated without doing harm. MCP has a place for each of these.',
    likes: 141,
    reposts: 72,
    replies: 3,
  },
  {
    account: 'sample_kofi',
    minutesAgo: 21,
    text: '[Sample] The tomatoes on the balcony are finally red. No agents were involved.',
    likes: 0,
    reposts: 0,
    replies: 0,
  },
]

/** Undefined for an account that is no sample. */
export function sampleFollowersOf(account: string): number | undefined {
  return Object.hasOwn(sampleFollowers, account) ? sampleFollowers[account as SampleAccount] : undefined
}

/** Into an empty table only, in the caller's transaction: of two replicas that start together, one finds it filled. */
export async function insertSamplePosts(db: Database, now: number): Promise<void> {
  const any = await db.selectFrom('local_posts').select('id').limit(1).executeTakeFirst()
  if (any !== undefined) return
  const rows = samplePosts.map(({ minutesAgo, ...post }, index) => ({
    ...post,
    media: '[]',
    publish_key: `sample:${index + 1}`,
    sample: 1 as const,
    created_at: now - minutesAgo * 60_000,
  }))
  // Ids rise with time, as those of all other posts do.
  await db.insertInto('local_posts').values(rows.reverse()).execute()
}
