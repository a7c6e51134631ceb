import { ForumFailure } from '../failure/forum-failure.js'
import { isRecord, type JsonRecord } from './read-json.js'

/** The objects of a list that an answer must have: without the list nobody knows that there is nothing. */
export function requireRecords(answer: unknown, key: string, path: string): readonly JsonRecord[] {
  const list = isRecord(answer) ? answer[key] : undefined
  if (Array.isArray(list)) return list.filter(isRecord)
  throw new ForumFailure('unexpected_response', `The forum's answer to ${path} has no list "${key}".`)
}
