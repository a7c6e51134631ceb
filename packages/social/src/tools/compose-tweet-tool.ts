import { storable } from '@callboard/store'
import type { Clock } from '@callboard/worker/clock'
import { z } from 'zod'
import { formats, type Written } from '../content/content-writer.js'
import { writeTimeoutMs } from '../limits.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { Database } from '../records/schema.js'
import { idempotencyKeyInput } from './common-input.js'
import { charCount, type GeneratorParts, generatedFields, generatedFieldsOf, topicInput } from './generator.js'
import { backendOf, networkInput } from './network-input.js'
import { oneOf } from './one-of.js'
import { changing, type SocialTool } from './social-tool.js'

export interface ComposerParts extends GeneratorParts {
  readonly clock: Clock
}

const input = z.object({
  topic: topicInput.describe('What the post is about'),
  format: oneOf(formats).optional().describe('Form of the post (default: any)'),
  network: networkInput,
  idempotency_key: idempotencyKeyInput.describe('The same key again is the same draft, never a second one.'),
})

const data = z.strictObject({
  tweet: z.string(),
  char_count: z.int(),
  topic: z.string(),
  format: z.enum(formats),
  draft_id: z.int(),
  ...generatedFields,
})

interface Prepared {
  readonly network: NetworkAdapter
  readonly written: Written
}

export function composeTweetTool({ writer, networks, clock }: ComposerParts): SocialTool {
  return changing({
    name: 'compose_tweet',
    title: 'Compose a draft',
    description:
      'Writes one post about a topic, as generate_tweet does, and keeps it as a draft. Never publishes: hand draft_id to propose_post. Without a configured model the text comes from a template.',
    input,
    data,
    marks: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    generates: true,
    timeoutMs: writeTimeoutMs,
    // Outside the transaction: a model takes its time, and nobody else may write meanwhile.
    async prepare({ topic, format, network: name }, { owner }, { signal }): Promise<Prepared> {
      const network = networks.get(name)
      const wish = { network, topic, ...(format !== undefined && { format }), principal: owner }
      return { network, written: await writer.post(wish, signal) }
    },
    async change({ topic }, { owner }, db, prepared, { isKeyGiven }) {
      const { network, written } = prepared
      const tweet = written.parts[0]!
      const draft = {
        tweet,
        char_count: charCount(tweet, network),
        topic: written.topic ?? topic,
        format: written.shape as (typeof formats)[number],
      }
      const known = isKeyGiven ? undefined : await equalDraft(db, prepared, owner)
      const draft_id = known ?? (await saveDraft(db, prepared, owner, clock.now()))
      return { data: { ...draft, draft_id, ...generatedFieldsOf(written, network) }, meta: backendOf(network.name) }
    },
  })
}

/** One of the owner's that says the same: a template always does. */
async function equalDraft(db: Database, { network, written }: Prepared, owner: string): Promise<number | undefined> {
  const { topic, format, parts } = contentOf(written)
  const found = await db
    .selectFrom('drafts')
    .select('id')
    .where('owner', '=', owner)
    .where('network', '=', network.name)
    .where('kind', '=', 'tweet')
    .where('parts', '=', parts)
    .where('topic', topic === null ? 'is' : '=', topic)
    .where('format', '=', format)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return found?.id
}

function contentOf({ parts, topic, shape }: Written) {
  return {
    parts: JSON.stringify(parts),
    topic: topic === undefined ? null : storable(topic, 1_000),
    format: shape,
  }
}

async function saveDraft(db: Database, { network, written }: Prepared, owner: string, now: number): Promise<number> {
  const { id } = await db
    .insertInto('drafts')
    .values({
      network: network.name,
      kind: 'tweet',
      ...contentOf(written),
      generated_by: written.generatedBy,
      owner,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
