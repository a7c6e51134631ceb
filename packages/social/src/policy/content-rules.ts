import type { SocialConfig } from '../config.js'
import type { SocialFailure } from '../envelope/failure.js'
import { comparedPostsMax, duplicateMs, likenessDenied } from '../limits.js'
import type { Database } from '../records/schema.js'
import { foldText } from '../text/fold-text.js'
import { withoutNames } from '../text/mentioned-names.js'
import { PhraseMatcher } from '../text/phrase-matcher.js'
import { type Shingles, shinglesOf, similarity } from '../text/similarity.js'
import { denied } from './denied.js'
import { type EarlierPost, earlierPosts, waitingPosts } from './earlier-posts.js'
import type { Candidate } from './safety-checks.js'

/** The first rule about what it says that it breaks. */
export async function contentProblem(
  db: Database,
  candidate: Candidate,
  { limits }: Pick<SocialConfig, 'limits'>,
): Promise<SocialFailure | undefined> {
  const banned = bannedPhrase(candidate, limits.banned_phrases)
  if (banned !== undefined) return banned
  const earlier = await earlierPosts(db, candidate, comparedPostsMax)
  return (await duplicate(db, candidate, earlier)) ?? tooAlike(candidate, earlier)
}

function bannedPhrase(candidate: Candidate, phrases: readonly string[]): SocialFailure | undefined {
  const matcher = new PhraseMatcher(phrases)
  const found = candidate.parts.map((part) => matcher.matches(part)[0]).find((phrase) => phrase !== undefined)
  if (found === undefined) return undefined
  const message = `“${found}” is a banned phrase (social.limits.banned_phrases); say it in other words.`
  return denied(candidate, 'banned_phrase', message, { phrase: found })
}

async function duplicate(
  db: Database,
  candidate: Candidate,
  earlier: readonly EarlierPost[],
): Promise<SocialFailure | undefined> {
  const { at, itemId } = candidate
  // Only a new one: of two that both wait, either can be approved.
  const times = { from: at - duplicateMs + 1, to: at + duplicateMs - 1 }
  const waiting = itemId === undefined ? await waitingPosts(db, candidate, times, comparedPostsMax) : []
  const content = contentOf(candidate.parts)
  const same = [...earlier, ...waiting].find(
    (post) => Math.abs(post.at - at) < duplicateMs && contentOf(post.parts) === content,
  )
  if (same === undefined) return undefined
  return denied(
    candidate,
    'duplicate_content',
    `Item ${same.id} says the same within ${duplicateMs / 60_000} minutes; write something else, or leave it at that one.`,
    { item_id: same.id },
  )
}

const contentOf = (parts: readonly string[]) => JSON.stringify(parts.map((part) => foldText(part).trim()))

function tooAlike(candidate: Candidate, earlier: readonly EarlierPost[]): SocialFailure | undefined {
  const most = mostAlike(candidate.parts, earlier)
  if (most === undefined || most.likeness < likenessDenied) return undefined
  return denied(
    candidate,
    'similarity',
    `This is too much like an earlier post of ours, item ${most.id} (${percent(most.likeness)} of the word triples are the ` +
      `same; less than ${percent(likenessDenied)} may be); say something new.`,
    { item_id: most.id, similarity: Math.round(most.likeness * 100) / 100 },
  )
}

/** Which of our last posts is most like a part of it; undefined when there is none. */
export function mostAlike(
  parts: readonly string[],
  earlier: readonly EarlierPost[],
): { readonly id: number; readonly likeness: number } | undefined {
  const ours = parts.map(unaddressed)
  const posts = earlier.flatMap(({ id, parts: texts }) => texts.map((text) => ({ id, text })))
  let most: { id: number; likeness: number } | undefined
  for (const { id, text } of posts.slice(0, comparedPostsMax)) {
    const triples = unaddressed(text)
    const highest = Math.max(...ours.map((own) => similarity(own, triples)))
    if (most === undefined || highest > most.likeness) most = { id, likeness: highest }
  }
  return most
}

/** Without whom it addresses: every reply to one person begins alike. */
function unaddressed(text: string): Shingles {
  return shinglesOf(withoutNames(foldText(text)))
}

export const percent = (share: number) => `${Math.round(share * 100)} %`
