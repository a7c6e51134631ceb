import type { SocialConfig } from '../config.js'
import { comparedPostsMax, likenessDenied, likenessNoted } from '../limits.js'
import type { Database } from '../records/schema.js'
import { mentionedNames } from '../text/mentioned-names.js'
import { mostAlike, percent } from './content-rules.js'
import { earlierPosts } from './earlier-posts.js'
import { namesProduct } from './product-mention.js'
import type { Candidate } from './safety-checks.js'

/** What is known of a text beside what it says. */
export interface Origin {
  readonly generatedBy?: 'llm' | 'template'
}

/** Sentences for the person who decides: a stranger is replied to, a link, text from a template, nearly said before. */
export async function risksOf(
  db: Database,
  candidate: Candidate,
  { business }: Pick<SocialConfig, 'business'>,
  { generatedBy }: Origin = {},
): Promise<readonly string[]> {
  const risks = [
    stranger(candidate),
    generatedBy === 'template' ? 'The text comes from a template: nobody wrote it for this.' : undefined,
    candidate.action === 'reply' && namesProduct(candidate.parts, business)
      ? `It names our product, ${business.product_name}.`
      : undefined,
    links(candidate),
    mentions(candidate),
    unseen(candidate),
    await repeats(db, candidate),
    await rivals(db, candidate),
  ]
  return risks.filter((risk) => risk !== undefined)
}

function stranger({ target }: Candidate): string | undefined {
  if (target === undefined || target.addressesUs) return undefined
  return `@${target.author} did not address us: the reply comes unasked.`
}

function links({ parts }: Candidate): string | undefined {
  const hosts = new Set(
    parts.flatMap((part) => [...part.matchAll(/https?:\/\/[^\s/?#]+/giu)].map(([url]) => hostOf(url))),
  )
  return hosts.size === 0 ? undefined : `It links to ${listed([...hosts])}.`
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** They are told of it. */
function mentions({ parts, target }: Candidate): string | undefined {
  const names = new Set(parts.flatMap(mentionedNames))
  const others = [...names].filter((name) => name.slice(1).toLowerCase() !== target?.author.toLowerCase())
  return others.length === 0 ? undefined : `It mentions ${listed(others)}.`
}

/** Marks that turn or hide text; joiners are part of emoji and of several scripts. */
function unseen({ parts }: Candidate): string | undefined {
  const found = parts.some((part) =>
    /(?!\u200C|\u200D|\uFE0E|\uFE0F)[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]|(?!\n)\p{Cc}|[\p{L}\p{N}]\u200D[\p{sc=Latn}\p{N}]/u.test(
      part,
    ),
  )
  return found ? 'It holds characters that can not be seen, and may read otherwise elsewhere.' : undefined
}

async function repeats(db: Database, candidate: Candidate): Promise<string | undefined> {
  const most = mostAlike(candidate.parts, await earlierPosts(db, candidate, comparedPostsMax))
  if (most === undefined || most.likeness < likenessNoted) return undefined
  const tooMuch = most.likeness >= likenessDenied ? ', too much to be sent' : ''
  return `Item ${most.id} said nearly the same: ${percent(most.likeness)} of the word triples${tooMuch}.`
}

async function rivals(db: Database, { network, target, itemId }: Candidate): Promise<string | undefined> {
  if (target === undefined) return undefined
  const rows = await db
    .selectFrom('approval_queue')
    .select('id')
    .where('network', '=', network)
    .where('target_post_id', '=', target.id)
    .where('status', '=', 'pending')
    .$if(itemId !== undefined, (query) => query.where('id', '!=', itemId!))
    .orderBy('id')
    .limit(shownMax + 1)
    .execute()
  if (rows.length === 0) return undefined
  return `Another reply to the same post waits, too: item ${listed(rows.map(({ id }) => String(id)))}; only one of them can go out.`
}

const shownMax = 5

function listed(names: readonly string[]): string {
  const shown = names.slice(0, shownMax).map((name) => (name.length > 80 ? `${name.slice(0, 80)}…` : name))
  return names.length > shownMax ? `${shown.join(', ')} and more` : shown.join(', ')
}
