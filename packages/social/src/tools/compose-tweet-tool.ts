import { z } from 'zod'
import type { Clock } from '../clock.js'
import { formats, type Written } from '../content/content-writer.js'
import { writeTimeoutMs } from '../limits.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { Database } from '../records/schema.js'
import { storable } from '../records/storable.js'
import {
  charCount,
  type GeneratorParts,
  generatedFields,
  generatedFieldsOf,
  metaOf,
  networkInput,
  topicInput,
} from './generator.js'
import { oneOf } from './one-of.js'
import { changing, type SocialTool } from './social-tool.js'

export interface ComposerParts extends GeneratorParts {
  readonly clock: Clock
}

const input = z.object({
  topic: topicInput.describe('What the post is about'),
  format: oneOf(formats).optional().describe('Form of the post (default: any)'),
  network: networkInput,
})

const data = z.object({
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
    async change({ topic }, { owner }, db, prepared) {
      const { network, written } = prepared
      const tweet = written.parts[0]!
      const draft = {
        tweet,
        char_count: charCount(tweet, network),
        topic: written.topic ?? topic,
        format: written.shape as (typeof formats)[number],
      }
      const draft_id = await saveDraft(db, prepared, owner, clock.now())
      return { data: { ...draft, draft_id, ...generatedFieldsOf(written, network) }, ...metaOf(network) }
    },
  })
}

async function saveDraft(db: Database, { network, written }: Prepared, owner: string, now: number): Promise<number> {
  const { id } = await db
    .insertInto('drafts')
    .values({
      network: network.name,
      kind: 'tweet',
      parts: JSON.stringify(written.parts),
      topic: written.topic === undefined ? null : storable(written.topic, 1_000),
      format: written.shape,
      generated_by: written.generatedBy,
      owner,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
