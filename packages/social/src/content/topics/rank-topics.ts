import type { Business, NetworkName } from '../../config.js'
import { topicPriorPosts, topicRestMs, topicRowsMax } from '../../limits.js'
import type { Database } from '../../records/schema.js'
import { profileTopics, topicKey } from './profile-topics.js'

export interface RankedTopic {
  readonly topic: string
  /** 0 to 100, one decimal: the best measured topic has 100. */
  readonly score: number
  readonly source: 'performance' | 'profile'
  /** Posts that were measured. */
  readonly samples: number
  /** One sentence. */
  readonly reason: string
  /** UTC ms: when it was last written about in the days in which a topic rests. */
  readonly usedAt?: number
}

export interface TopicQuestion {
  readonly business: Business
  readonly network: NetworkName
  /** UTC ms. */
  readonly now: number
}

/** Measured ones by what they brought, then the profile's: those that have rested, and behind them those that have not. */
export async function rankTopics(db: Database, question: TopicQuestion): Promise<readonly RankedTopic[]> {
  const used = await recentlyUsed(db, question)
  const { measured, average } = rankMeasured(await readScores(db, question), used)
  const known = new Set(measured.map(({ topic }) => topicKey(topic)))
  const fresh = profileTopics(question.business).filter(({ topic }) => !known.has(topicKey(topic)))
  const score = profileScore(measured, average)
  const ranked = fresh.map(({ topic, from }) => profileTopic(topic, from, score, used.get(topicKey(topic))))
  const rested = ranked.filter(({ usedAt }) => usedAt === undefined)
  const tired = ranked.filter(({ usedAt }) => usedAt !== undefined).sort((a, b) => a.usedAt! - b.usedAt!)
  return [...measured, ...rested, ...tired]
}

interface Measured {
  readonly topic: string
  readonly samples: number
  readonly average: number
}

/** All formats of a topic together. */
async function readScores(db: Database, { network }: TopicQuestion): Promise<readonly Measured[]> {
  const rows = await db
    .selectFrom('topic_scores')
    .select(['topic', 'total_posts', 'avg_performance'])
    .where('network', '=', network)
    .where('total_posts', '>', 0)
    .orderBy('updated_at', 'desc')
    .orderBy('topic')
    .limit(topicRowsMax)
    .execute()
  const byTopic = new Map<string, { topic: string; samples: number; sum: number }>()
  for (const { topic, total_posts, avg_performance } of rows) {
    const known = byTopic.get(topicKey(topic)) ?? { topic, samples: 0, sum: 0 }
    known.samples += total_posts
    known.sum += total_posts * (Number.isFinite(avg_performance) ? Math.max(0, avg_performance) : 0)
    byTopic.set(topicKey(topic), known)
  }
  return [...byTopic.values()].map(({ topic, samples, sum }) => ({ topic, samples, average: sum / samples }))
}

/** Shrunk towards the average of all: the fewer posts, the less a topic's own average counts. */
function rankMeasured(scores: readonly Measured[], used: ReadonlyMap<string, number>) {
  const posts = scores.reduce((sum, { samples }) => sum + samples, 0)
  const average = posts === 0 ? 0 : scores.reduce((sum, each) => sum + each.samples * each.average, 0) / posts
  const shrunk = scores
    .map((each) => ({
      ...each,
      value: (each.samples * each.average + topicPriorPosts * average) / (each.samples + topicPriorPosts),
    }))
    .sort((a, b) => b.value - a.value || b.samples - a.samples || (a.topic < b.topic ? -1 : 1))
  const best = shrunk[0]?.value ?? 0
  const measured = shrunk.map(({ topic, samples, average: own, value }) => {
    const usedAt = used.get(topicKey(topic))
    const reason = `${samples} ${samples === 1 ? 'post' : 'posts'} measured, performance ${shown(own)} on average (all topics: ${shown(average)}); the score compares it with the best topic, which has 100.`
    const base = { topic, score: share(value, best), source: 'performance' as const, samples, reason }
    return { ...base, ...(usedAt !== undefined && { usedAt }) }
  })
  return { measured, average: share(average, best) }
}

/** Nobody knows how it will do: as the average, and never before what has been measured. */
function profileScore(measured: readonly RankedTopic[], average: number): number {
  const last = measured.at(-1)
  return last === undefined ? unmeasuredScore : Math.min(average, last.score)
}

/** Of the profile's topics while nothing has been measured: the middle. */
const unmeasuredScore = 50

function profileTopic(topic: string, from: string, score: number, usedAt: number | undefined): RankedTopic {
  const rest =
    usedAt === undefined ? 'not used in the last 7 days' : 'used in the last 7 days, so others come before it'
  const reason = `From your ${from}, ${rest}; nothing measured yet, so the score is only a middle value.`
  const base = { topic, score, source: 'profile' as const, samples: 0, reason }
  return { ...base, ...(usedAt !== undefined && { usedAt }) }
}

/** Topic key to the last time, of drafts and items of the last days. */
async function recentlyUsed(db: Database, { network, now }: TopicQuestion): Promise<ReadonlyMap<string, number>> {
  const tables = ['drafts', 'approval_queue'] as const
  const rows = await Promise.all(tables.map((table) => usesIn(db, table, network, now - topicRestMs)))
  const used = new Map<string, number>()
  for (const { topic, at } of rows.flat()) {
    if (topic === null) continue
    used.set(topicKey(topic), Math.max(used.get(topicKey(topic)) ?? at, at))
  }
  return used
}

function usesIn(db: Database, table: 'drafts' | 'approval_queue', network: NetworkName, since: number) {
  return db
    .selectFrom(table)
    .select(['topic', 'created_at as at'])
    .where('network', '=', network)
    .where('topic', 'is not', null)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(topicRowsMax)
    .execute()
}

function share(value: number, best: number): number {
  return best === 0 ? unmeasuredScore : Math.round((1_000 * value) / best) / 10
}

function shown(value: number): string {
  return String(Math.round(value * 10) / 10)
}
