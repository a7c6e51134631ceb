import { integerAt, isRecord, type JsonRecord } from '../../json/read-json.js'
import { unexpectedAnswer } from '../unexpected-answer.js'

/** One draft as `/drafts/{key}.json` has it. */
export interface StoredDraft {
  /** The one to save with, also where there is no draft. */
  readonly sequence: number
  /** As its editor left it (`reply`, `title`, `categoryId`, `tags`, `action`, …); none: there is no draft. */
  readonly data: JsonRecord | undefined
}

/** Throws `unexpected_response` where the answer is not about a draft. */
export function storedDraftOf(answer: unknown): StoredDraft {
  if (!isRecord(answer) || !('draft' in answer)) throw unexpectedAnswer('the draft')
  return { sequence: integerAt(answer, 'draft_sequence') ?? 0, data: draftDataOf(answer['draft']) }
}

/** From the JSON text in which forums keep it. */
export function draftDataOf(draft: unknown): JsonRecord | undefined {
  if (draft === null || draft === undefined) return undefined
  const data = typeof draft === 'string' ? parsed(draft) : draft
  if (!isRecord(data)) throw unexpectedAnswer('a draft that can be read')
  return data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
