import { z } from 'zod'
import { cutText } from '../../json/cut-text.js'
import { idAt, type JsonRecord, textAt } from '../../json/read-json.js'
import { unexpectedAnswer } from '../unexpected-answer.js'

/** What every tool shows of a post. */
export const postShape = {
  id: z.int(),
  post_number: z.int(),
  username: z.string().nullable(),
  created_at: z.string().nullable(),
  raw: z.string(),
  truncated: z.boolean(),
}

export type Post = z.output<z.ZodObject<typeof postShape>>

/** Its text up to `lengthMax` code points. Throws `unexpected_response` where it is no post. */
export function postOf(post: JsonRecord, lengthMax: number): Post {
  const id = idAt(post, 'id')
  const number = idAt(post, 'post_number')
  if (id === undefined || number === undefined) throw unexpectedAnswer('id and number of a post')
  // HTML is better than nothing.
  const { text, isCut } = cutText(textAt(post, 'raw') ?? textAt(post, 'cooked') ?? '', lengthMax)
  return {
    id,
    post_number: number,
    // Nobody's, where the user is deleted.
    username: textAt(post, 'username') ?? null,
    created_at: textAt(post, 'created_at') ?? null,
    raw: text,
    truncated: isCut,
  }
}
