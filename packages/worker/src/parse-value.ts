import { z } from 'zod'
import { type Eventually, isPending } from './eventually.js'

export type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly issues: readonly z.core.$ZodIssue[] }

/**
 * As `safeParseAsync`, but at once where the schema has nothing to wait for, as most have. (`safeParse` would not do: it
 * runs what is asynchronous before it complains.)
 */
export function parseValue(schema: z.ZodType, value: unknown): Eventually<Parsed> {
  const payload = schema._zod.run({ value, issues: [] }, mayWait)
  return isPending(payload) ? payload.then(toParsed) : toParsed(payload)
}

const mayWait = { async: true } as const

function toParsed({ value, issues }: z.core.ParsePayload): Parsed {
  if (issues.length === 0) return { success: true, data: value }
  return { success: false, issues: issues.map((issue) => z.core.util.finalizeIssue(issue, mayWait, z.core.config())) }
}
