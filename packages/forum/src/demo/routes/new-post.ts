import { integerAt, textAt } from '../../json/read-json.js'
import type { ForumModel } from '../forum-model.js'
import type { Input } from '../http/input.js'
import { unprocessable } from '../http/refusal.js'
import { bodyMax, bodyMin, tagsPerTopicMax, titleMax, titleMin } from '../limits.js'
import type { Setting } from '../setting.js'

const asForm = { action: 'create_post' }

/** @throws Refusal for text that is too short or too long. */
export function checkBody(raw: string, more: object = asForm): void {
  checkLength('Body', raw, bodyMin, bodyMax, more)
}

/** @throws Refusal for a title that is too short or too long. */
export function checkTitle(title: string, more: object = asForm): void {
  checkLength('Title', title, titleMin, titleMax, more)
}

function checkLength(what: string, value: string, min: number, max: number, more: object): void {
  const length = [...value.trim()].length
  if (length < min) throw unprocessable([`${what} is too short (minimum is ${min} characters)`], more)
  if (length > max) throw unprocessable([`${what} is too long (maximum is ${max} characters)`], more)
}

/**
 * Names of the tags that were sent. Old cores know names only; later ones take objects, and from 2026.07 on nothing else. What is
 * not understood is dropped without a word, as Rails drops parameters that nobody permitted.
 * @throws Refusal for more than a topic may have.
 */
export function sentTags(
  input: Input,
  name: string,
  forum: ForumModel,
  setting: Setting,
): readonly string[] | undefined {
  const sent = input.list(name)
  if (sent !== undefined && sent.length > tagsPerTopicMax) {
    throw unprocessable([`You can use ${tagsPerTopicMax} tags at most.`])
  }
  return sent?.flatMap((tag) => {
    const isKnown = typeof tag === 'string' ? takesNames(setting) : setting.tagIds !== 'names'
    return (isKnown ? tagName(tag, forum) : undefined) ?? []
  })
}

/** Of a tag as a name, or as an object with its id or its name. */
export function tagName(tag: unknown, { boards }: ForumModel): string | undefined {
  if (typeof tag === 'string') return tag
  return boards.tags.find(({ id }) => id === integerAt(tag, 'id'))?.name ?? textAt(tag, 'name')
}

function takesNames({ version, tagIds }: Setting): boolean {
  const [year = 0, month = 0] = version.split('.').map(Number)
  return tagIds === 'names' || year < 2026 || (year === 2026 && month < 7)
}
