import { z } from 'zod'

const claims = z.object({ exp: z.number().positive().max(1e11) })

/** UTC ms; undefined when the token does not say. It is only read: the server alone can judge it. */
export function expiryOf(token: string): number | undefined {
  try {
    const parsed = claims.safeParse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')))
    return parsed.success ? parsed.data.exp * 1_000 : undefined
  } catch {
    return undefined
  }
}
