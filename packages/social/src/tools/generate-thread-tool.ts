import { z } from 'zod'
import { structures } from '../content/content-writer.js'
import { threadPartsMax, threadPartsMin, threadTimeoutMs } from '../limits.js'
import {
  charCount,
  type GeneratorParts,
  generatedFields,
  generatedFieldsOf,
  generates,
  topicInput,
} from './generator.js'
import { backendOf, networkInput } from './network-input.js'
import { oneOf } from './one-of.js'
import { answering, type SocialTool } from './social-tool.js'

const input = z.object({
  topic: topicInput.optional().describe('Default: a random one of the industry topics of the profile'),
  structure: oneOf(structures).optional().describe('How the thread is built (default: any)'),
  parts: z
    .int()
    .min(threadPartsMin)
    .max(threadPartsMax)
    .optional()
    .describe('How many posts (default: what fits the topic)'),
  network: networkInput,
})

const data = z.strictObject({
  thread: z.array(z.string()).min(threadPartsMin).max(threadPartsMax),
  tweet_count: z.int(),
  char_counts: z.array(z.int()),
  ...generatedFields,
})

export function generateThreadTool({ writer, networks }: GeneratorParts): SocialTool {
  return answering({
    name: 'generate_thread',
    title: 'Generate a thread',
    description:
      'Writes a thread of five to eight posts in the voice of the configured profile, each within the limit of the network. Nothing is stored or published: hand the parts to propose_post with kind thread. Takes up to three minutes with a model; without one the text comes from templates.',
    input,
    data,
    marks: generates,
    generates: true,
    timeoutMs: threadTimeoutMs,
    async answer({ topic, structure, parts, network: name }, { owner }, { signal }) {
      const network = networks.get(name)
      const wish = {
        network,
        ...(topic !== undefined && { topic }),
        ...(structure !== undefined && { structure }),
        ...(parts !== undefined && { parts }),
        principal: owner,
      }
      const written = await writer.thread(wish, signal)
      const counted = {
        thread: [...written.parts],
        tweet_count: written.parts.length,
        char_counts: written.parts.map((part) => charCount(part, network)),
      }
      return { data: { ...counted, ...generatedFieldsOf(written, network) }, meta: backendOf(network.name) }
    },
  })
}
