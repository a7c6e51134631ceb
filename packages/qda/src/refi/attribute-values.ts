import type { Authorship, VariableType } from './model.js'
import type { OpenElement } from './read-elements.js'

/** Attributes as the model has them; what can't be read is lost, and said so. */

export function textAttribute(element: OpenElement, name: string): string | null {
  const text = element.attribute(name)
  return text === null || text === '' ? null : text
}

/** Some programs write positions with decimals. */
export function integerAttribute(element: OpenElement, name: string): number | null {
  const text = element.attribute(name)
  if (text === null) return null
  const number = /^\s*[+-]?\d+(\.\d+)?\s*$/.test(text) ? Math.trunc(Number(text)) : Number.NaN
  if (Number.isSafeInteger(number)) return number + 0
  element.lost(`its ${name} "${text.slice(0, 100)}", which is no number`)
  return null
}

export function colorAttribute(element: OpenElement): string | null {
  const text = textAttribute(element, 'color')
  if (text === null) return null
  const digits = /^\s*#?([0-9a-f]{6}|[0-9a-f]{3})\s*$/i.exec(text)?.[1]?.toUpperCase()
  if (digits === undefined) {
    element.lost(`its colour "${text.slice(0, 100)}", which is not written as #RRGGBB`)
    return null
  }
  return digits.length === 6 ? `#${digits}` : `#${digits.replace(/./g, '$&$&')}`
}

export function oneOfAttribute<Word extends string>(
  element: OpenElement,
  name: string,
  words: readonly Word[],
): Word | null {
  const text = textAttribute(element, name)?.trim()
  if (text === undefined || text === '') return null
  const word = words.find((candidate) => candidate.toLowerCase() === text.toLowerCase())
  if (word === undefined) element.lost(`its ${name} "${text.slice(0, 100)}", which is none of ${words.join(', ')}`)
  return word ?? null
}

export const authorshipAttributes = ['creatingUser', 'creationDateTime', 'modifyingUser', 'modifiedDateTime'] as const

export function authorship(element: OpenElement): Authorship {
  return {
    creatingUser: element.reference('creatingUser'),
    createdAt: momentAttribute(element, 'creationDateTime'),
    modifyingUser: element.reference('modifyingUser'),
    modifiedAt: momentAttribute(element, 'modifiedDateTime'),
  }
}

export function momentAttribute(element: OpenElement, name: string): string | null {
  const text = textAttribute(element, name)
  if (text === null) return null
  const moment = normalMoment(text)
  if (moment === null) element.lost(`its ${name} "${text.slice(0, 100)}", which is no moment`)
  return moment
}

/** A moment without a zone is taken for UTC: the file does not say where it was written. */
function normalMoment(text: string): string | null {
  const match = /^\s*(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?\s*$/i.exec(text)
  if (match === null || normalDate(match[1]!) === null) return null
  const milliseconds = Date.parse(`${match[1]}T${match[2]}${match[3]?.toUpperCase() ?? 'Z'}`)
  if (Number.isNaN(milliseconds)) return null
  const moment = `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
  return /^(?!0000)\d{4}-/.test(moment) ? moment : null
}

/** The text of a value in its one spelling, or null where it is none of this type. */
export function normalValue(type: VariableType, text: string): string | null {
  const trimmed = text.trim()
  switch (type) {
    case 'Text':
      return text
    case 'Boolean':
      return /^(true|1)$/i.test(trimmed) ? 'true' : /^(false|0)$/i.test(trimmed) ? 'false' : null
    case 'Integer':
      return /^[+-]?\d+$/.test(trimmed) ? trimmed : null
    case 'Float':
      return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(trimmed) ? trimmed : null
    case 'Date':
      return normalDate(trimmed)
    case 'DateTime':
      return normalMoment(trimmed)
    default:
      return type satisfies never
  }
}

function normalDate(text: string): string | null {
  const day = /^((?!0000)\d{4}-\d\d-\d\d)(Z|[+-]\d\d:\d\d)?$/.exec(text)?.[1]
  if (day === undefined) return null
  const milliseconds = Date.parse(`${day}T00:00:00Z`)
  // A date that does not exist rolls over into the next month.
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(day) ? day : null
}
