import { z } from 'zod'

export interface TextInputOptions {
  /** Characters after trimming; 1 unless told. */
  readonly min?: number
  readonly max: number
}

/** Text from a caller: trimmed, within the limits (in code points, as JSON Schema counts), and storable in every database. */
export function textInput({ min = 1, max }: TextInputOptions) {
  return z
    .string()
    .trim()
    .superRefine((text, context) => {
      const wrong = whatIsWrong(text, min, max)
      if (wrong !== undefined) context.addIssue({ code: 'custom', message: wrong })
    })
    .meta({ minLength: min, maxLength: max })
}

function whatIsWrong(text: string, min: number, max: number): string | undefined {
  if (text.includes('\0')) return 'must not contain U+0000'
  if (/\p{Surrogate}/u.test(text)) return 'must be valid Unicode: half a surrogate pair stands alone'
  const length = characters(text)
  if (length < min || length > max) return `must have ${range(min, max)} after trimming, not ${length}`
  return undefined
}

function characters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

function range(min: number, max: number): string {
  return `${min.toLocaleString('en')} to ${max.toLocaleString('en')} characters`
}
