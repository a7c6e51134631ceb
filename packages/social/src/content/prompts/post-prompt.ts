import type { Business } from '../../config.js'
import type { Format } from '../content-writer.js'
import { asksForHashtags } from './asks-for-hashtags.js'
import { Fence } from './fence.js'
import { personaPrompt } from './persona-prompt.js'
import { commonRules, type Prompt, systemPrompt } from './prompt.js'

const tasks: Readonly<Record<Format, string>> = {
  list: 'a short list: one line that says what it lists, then two to four lines, each beginning with "- "',
  contrarian_take: 'an opinion against what is usually said, with the reason for it',
  most_people_think_x: 'what many seem to take for granted about it, and how you see it instead',
  storytelling:
    'a short scene that makes one point; if it is none of the experiences listed above, say that it is imagined',
  before_after: 'a before and an after: how one goes about it first, and how one could after a change',
  question: 'one open question to the readers, with a sentence on why you ask',
  tip: 'one tip that a reader can follow today',
}

export function postPrompt(
  business: Business,
  topic: string,
  format: Format,
  lengthMax: number,
  random: () => number,
): Prompt {
  const fence = new Fence([topic], random)
  const rules = [
    ...commonRules(asksForHashtags(topic) || asksForHashtags(business.content_style), fence),
    `Write one post of at most ${lengthMax} characters.`,
  ]
  const user = `Write a post as ${tasks[format]}. Its topic:\n${fence.around(topic)}`
  return { system: systemPrompt(personaPrompt(business, 'post'), rules), user, fence, rules }
}
