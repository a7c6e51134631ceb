import type { Business } from '../../config.js'
import { threadPartsMax, threadPartsMin } from '../../limits.js'
import type { Structure } from '../content-writer.js'
import { asksForHashtags } from './asks-for-hashtags.js'
import { Fence } from './fence.js'
import { personaPrompt } from './persona-prompt.js'
import { commonRules, type Prompt, systemPrompt } from './prompt.js'

const tasks: Readonly<Record<Structure, string>> = {
  transformation: 'a change: where one starts, what has to change, in which steps, where one arrives',
  framework: 'a way to think about it: its questions or steps, one in each part',
  mistakes: 'mistakes that are easily made, one in each part, each with what to do instead',
  analysis: 'a look at why it is as it is: the forces at work, what speaks for and against, what follows',
}

/** `lengthMax`: characters of one part. */
export function threadPrompt(
  business: Business,
  wish: { readonly topic: string; readonly structure: Structure; readonly parts: number | undefined },
  lengthMax: number,
  random: () => number,
): Prompt {
  const { topic, structure, parts } = wish
  const fence = new Fence([topic], random)
  const count = parts === undefined ? `${threadPartsMin} to ${threadPartsMax}` : `exactly ${parts}`
  const rules = [
    ...commonRules(asksForHashtags(topic) || asksForHashtags(business.content_style), fence),
    `Write ${count} parts of at most ${lengthMax} characters each, without numbering, and a line of three dashes (---) between one and the next.`,
    'The first part makes one want to read on. The last one sums up, or says what to do now.',
  ]
  const user = `Write a thread as ${tasks[structure]}. Its topic:\n${fence.around(topic)}`
  return { system: systemPrompt(personaPrompt(business, 'post'), rules), user, fence, rules }
}
