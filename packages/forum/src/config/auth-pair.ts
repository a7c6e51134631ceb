import { z } from 'zod'
import { basicPasswordLengthMin, keyLengthMin } from '../limits.js'
import { siteUrl } from './site-url.js'

/** Travels in a header. */
const word = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[\x21-\x7e]*$/, 'must be one word of ASCII characters')

const key = word.min(keyLengthMin)

export const authPair = z.strictObject({
  site: siteUrl,
  api_key: key.optional(),
  api_username: word.optional(),
  user_api_key: key.optional(),
  user_api_client_id: word.optional(),
  http_basic_user: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^:]*$/, 'must not have a colon in it')
    .optional(),
  http_basic_pass: z.string().min(basicPasswordLengthMin).max(500).optional(),
})

/** One entry of `auth_pairs`; its `site` comes out as a base. */
export type AuthPair = z.infer<typeof authPair>
