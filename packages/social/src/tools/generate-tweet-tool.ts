import { z } from 'zod'
import { formats } from '../content/content-writer.js'
import { writeTimeoutMs } from '../limits.js'
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
  format: oneOf(formats).optional().describe('Form of the post (default: any)'),
  network: networkInput,
})

const data = z.strictObject({ tweet: z.string(), char_count: z.int(), ...generatedFields })

export function generateTweetTool({ writer, networks }: GeneratorParts): SocialTool {
  return answering({
    name: 'generate_tweet',
    title: 'Generate a post',
    description:
      'Writes one post in the voice of the configured profile, within the limit of the network. Nothing is stored or published: hand the text to propose_post, or use compose_tweet to keep it as a draft. Without a configured model the text comes from a template.',
    input,
    data,
    marks: generates,
    generates: true,
    timeoutMs: writeTimeoutMs,
    async answer({ topic, format, network: name }, { owner }, { signal }) {
      const network = networks.get(name)
      const wish = {
        network,
        ...(topic !== undefined && { topic }),
        ...(format !== undefined && { format }),
        principal: owner,
      }
      const written = await writer.post(wish, signal)
      const tweet = written.parts[0]!
      const counted = { tweet, char_count: charCount(tweet, network) }
      return { data: { ...counted, ...generatedFieldsOf(written, network) }, meta: backendOf(network.name) }
    },
  })
}
