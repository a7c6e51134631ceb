import type { Business } from '../../config.js'
import { replySentencesMax } from '../../limits.js'
import type { Archetype, ReplyWish } from '../content-writer.js'
import { asksForHashtags } from './asks-for-hashtags.js'
import { Fence } from './fence.js'
import { personaPrompt } from './persona-prompt.js'
import { commonRules, type Prompt, systemPrompt } from './prompt.js'

const tasks: Readonly<Record<Archetype, string>> = {
  agree_and_expand: 'Agree with its point, and add one thought that takes it further.',
  ask_question: 'Ask one real question that its author can answer and would like to.',
  share_experience:
    'Tell one of the experiences listed above if one fits. If none does, ask for theirs; claim none of your own.',
  add_data:
    'Add a fact that is common knowledge and that you are sure of. If there is none, name what one would have to measure.',
  respectful_disagree: 'Disagree with one point of it, politely, and say why.',
}

/** `lengthMax`: characters that are free for the reply. */
export function replyPrompt(
  business: Business,
  wish: ReplyWish,
  archetype: Archetype,
  lengthMax: number,
  random: () => number,
): Prompt {
  const fence = new Fence([wish.text, wish.author], random)
  const rules = [
    ...commonRules(asksForHashtags(business.reply_style), fence),
    `Write at most ${replySentencesMax} sentences, and at most ${lengthMax} characters. Do not begin with the author's name.`,
    productRule(business, wish.mentionProduct),
  ]
  const user = [
    `Reply to this post. ${tasks[archetype]}`,
    `Its author:\n${fence.around(wish.author)}`,
    `The post:\n${fence.around(wish.text)}`,
  ]
  return { system: systemPrompt(personaPrompt(business, 'reply'), rules), user: user.join('\n\n'), fence, rules }
}

function productRule({ product_name, product_url }: Business, mentionProduct: boolean): string {
  if (!mentionProduct) return `Do not mention ${product_name}.`
  const link = product_url === undefined ? '' : ` You may give its address, ${product_url}.`
  return `Mention ${product_name} once, where it helps the author, and say that it is ours.${link}`
}
