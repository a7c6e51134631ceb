import type { Business } from '../../config.js'
import { foldText } from '../../text/fold-text.js'

/** What the profile gives to write about, best first; never empty. */
export function profileTopics(business: Business): readonly { readonly topic: string; readonly from: string }[] {
  const { industry_topics, content_pillars, product_keywords, product_name } = business
  const all = [
    ...industry_topics.map((topic) => ({ topic, from: 'industry topics' })),
    ...content_pillars.map((topic) => ({ topic, from: 'content pillars' })),
    ...product_keywords.map((topic) => ({ topic, from: 'product keywords' })),
  ]
  // Keywords of competitors may be all that a profile has.
  const some = all.length > 0 ? all : [{ topic: product_name, from: 'product name' }]
  const first = new Map(some.map((each) => [topicKey(each.topic), each] as const).reverse())
  return some.filter((each) => first.get(topicKey(each.topic)) === each)
}

/** Two topics with one key are one topic. */
export function topicKey(topic: string): string {
  return foldText(topic).trim()
}

/** One of the industry topics; where there are none, of the rest. `random`: 0 to 1, 1 excluded. */
export function randomTopic(business: Business, random: () => number): string {
  const all = profileTopics(business)
  const first = all.filter(({ from }) => from === all[0]!.from)
  return first[Math.floor(random() * first.length)]!.topic
}
