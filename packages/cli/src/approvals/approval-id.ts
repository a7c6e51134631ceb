import { InvalidArgumentError } from 'commander'

/** Of an item of the social worker: its number; of a suggestion of the qda worker: the beginning of its id, in lower case. */
export type ApprovalId = number | string

/** The number of an item, as `callboard approvals` lists it. */
export function itemId(text: string): number {
  return numberIn(text) ?? refuse('It must be the number of an item, as "callboard approvals" lists it.')
}

/** The same, or the id of a suggestion. Digits alone are the number of an item. */
export function approvalId(text: string): ApprovalId {
  const id = numberIn(text) ?? text.toLowerCase()
  if (typeof id === 'number' || suggestionForm.test(id)) return id
  return refuse(
    `It must be the number of an item, or ${suggestionIdLengthMin} or more characters of a suggestion's id, as "callboard approvals" lists it.`,
  )
}

/** For an argument that may be given many times; one that is given twice is meant once. */
export function approvalIds(text: string, previous: readonly ApprovalId[] = []): readonly ApprovalId[] {
  return [...new Set([...previous, approvalId(text)])]
}

/** The beginning of a suggestion's id by which it is listed, which no number of an item looks like. */
export function shortSuggestionId(id: string): string {
  return id.slice(0, /^\d{8}-/.test(id) ? 10 : 8)
}

const suggestionIdLengthMin = 6
const suggestionForm = /^(?=\d*[a-f-])[\da-f-]{6,36}$/

function numberIn(text: string): number | undefined {
  const id = Number(text)
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(id) ? id : undefined
}

function refuse(sentence: string): never {
  throw new InvalidArgumentError(sentence)
}
