import { z } from 'zod'
import { baseOf } from '../sites/base-url.js'

/** Address of a forum; comes out as its base, so that it can be compared. */
export const siteUrl = z
  .string()
  .trim()
  .transform((url, context) => {
    const base = baseIn(url)
    if (typeof base === 'string') return base
    context.addIssue({ code: 'custom', message: base.problem })
    return z.NEVER
  })

function baseIn(url: string): string | { readonly problem: string } {
  const notOne = { problem: 'must be the URL of a forum, which begins with https:// or http://' }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return notOne
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') {
    return {
      problem: 'must not have a user name or password in it: auth_pairs has http_basic_user and http_basic_pass',
    }
  }
  try {
    return baseOf(url)
  } catch {
    return notOne
  }
}
