import type { Business } from '../../config.js'
import { personaLengthMax } from '../../limits.js'

/** Which of the styles counts. */
export type Genre = 'reply' | 'post'

/** Who writes, in the operator's words. */
export function personaPrompt(business: Business, genre: Genre): string {
  const { product_name, product_description, target_audience, brand_voice } = business
  const style = genre === 'reply' ? business.reply_style : business.content_style
  return [
    `You write for the account of ${product_name}${product_description === undefined ? '' : ` (${product_description})`}.`,
    ...line('Its readers', target_audience),
    ...line('Its voice', brand_voice),
    ...line(genre === 'reply' ? 'How it replies' : 'How it writes', style),
    ...list('What it always comes back to', business.content_pillars),
    ...list('Opinions that it holds', business.persona_opinions),
    ...list('Experiences that it has had, and the only ones that you may tell', business.persona_experiences),
  ].join('\n')
}

function line(title: string, text: string | undefined): string[] {
  return text === undefined ? [] : [`${title}: ${text}`]
}

/** As many as there is room for. */
function list(title: string, items: readonly string[]): string[] {
  let room = personaLengthMax
  const kept = items.filter((item) => {
    room -= item.length
    return room >= 0
  })
  return kept.length === 0 ? [] : [`${title}:\n${kept.map((item) => `- ${item}`).join('\n')}`]
}
