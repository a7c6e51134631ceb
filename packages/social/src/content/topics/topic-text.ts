import { visibleText } from '../output/visible-text.js'

/** A topic on one line. */
export function topicText(text: string): string {
  return visibleText(text).replaceAll(/\s+/g, ' ').trim()
}

/** As it stands within a sentence: a topic that is a sentence itself is quoted. */
export function topicPhrase(topic: string): string {
  const isSentence = /[?!]$/.test(topic) || topic.split(' ').length > wordsMax
  return isSentence ? `“${topic.replaceAll(/[“”]/g, '"')}”` : topic.replace(/[\s.,;:…]+$/, '') || topic
}

/** Words of what can still stand in the middle of a sentence. */
const wordsMax = 8
