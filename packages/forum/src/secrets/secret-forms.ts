import { secretHeadLength, secretLengthMin, wordyHeadLength } from '../limits.js'

/** One way to write a secret. */
export interface SecretForm {
  readonly text: string
  /** Characters of its beginning that give it away where the rest was cut off. */
  readonly headLength: number
}

/** Every way in which a secret gets into texts; none for what is too short to be one. */
export function formsOf(secret: string): readonly SecretForm[] {
  const once = escaped(secret)
  const forms = [
    secret,
    once,
    escaped(once),
    // As Rails writes JSON, so that it can stand in HTML.
    escapedForHtml(once),
    ...urlForms(secret.replace(/\p{Surrogate}/gu, '\ufffd')),
  ]
  return [...new Set(forms)]
    .filter((text) => text.length >= secretLengthMin)
    .map((text) => ({ text, headLength: headLengthOf(text) }))
}

function headLengthOf(text: string): number {
  const isWordy = !/\d/.test(text.slice(0, secretHeadLength))
  return Math.min(text.length, isWordy ? wordyHeadLength : secretHeadLength)
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

function escapedForHtml(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** As part of a path, as a value in a query, and as a form has it; hexadecimal digits in both cases. */
function urlForms(secret: string): readonly string[] {
  const part = encodeURIComponent(secret)
  const strict = part.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = new URLSearchParams([['', secret]]).toString().slice(1)
  const all = [part, part.replaceAll('%20', '+'), strict, form]
  return [...all, ...all.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}
