import type { NetworkAdapter } from '../../networks/network-adapter.js'
import { measure } from '../../text/measure.js'
import { firstSentences } from '../../text/sentences.js'
import type { ModelAnswer } from '../model/language-model.js'
import type { Prompt } from '../prompts/prompt.js'
import { cleanText } from './clean-text.js'
import { strangeLinks, strangeMentions } from './strangers.js'
import { withoutHashtags } from './without-hashtags.js'

/** What a text has to be. */
export interface Demand {
  readonly prompt: Prompt
  readonly network: NetworkAdapter
  /** Stands before it when it is published. */
  readonly prefix: string
  readonly sentencesMax?: number
  readonly hashtags: boolean
  /** Who and what may be named: links and accounts that stand in here. */
  readonly asked: string
}

/** What is wrong with a text. */
export type Fault =
  // Can be mended by cutting.
  | 'too_long'
  | 'unfinished'
  // Can not.
  | 'empty'
  | 'several'
  | 'leak'
  | 'link'
  | 'mention'
  // Of threads.
  | 'too_few'
  | 'too_many'

export interface Examined {
  /** With its prefix, clean. */
  readonly text: string
  readonly faults: readonly Fault[]
}

export function examine({ text: raw, isCut }: ModelAnswer, demand: Demand): Examined {
  const { prefix, sentencesMax, hashtags } = demand
  const clean = withoutPrefix(cleanText(raw), prefix)
  const untagged = hashtags ? clean : withoutHashtags(clean)
  const body = sentencesMax === undefined ? untagged : firstSentences(untagged, sentencesMax)
  // Whatever was cut off lay behind what is kept.
  const isUnfinished = isCut && body === untagged
  return { text: `${prefix}${body}`, faults: faultsOf(raw, body, isUnfinished, demand) }
}

function faultsOf(raw: string, body: string, isUnfinished: boolean, demand: Demand): Fault[] {
  const { prefix, network, asked, prompt } = demand
  if (body === '') return ['empty']
  const found: readonly (readonly [Fault, boolean])[] = [
    ['leak', prompt.fence.isIn(raw) || prompt.rules.some((sentence) => body.includes(sentence))],
    ['several', /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/m.test(body)],
    ['link', strangeLinks(body, asked).length > 0],
    ['mention', strangeMentions(body, asked).length > 0],
    ['unfinished', isUnfinished],
    ['too_long', !measure(`${prefix}${body}`, network.lengthRule).fits],
  ]
  return found.filter(([, isSo]) => isSo).map(([fault]) => fault)
}

/** Models greet the author themselves, whatever they are told. */
function withoutPrefix(text: string, prefix: string): string {
  const name = prefix.trim()
  if (name === '' || !text.toLowerCase().startsWith(name.toLowerCase())) return text
  return text.slice(name.length).replace(/^[\s,:]+/, '')
}
