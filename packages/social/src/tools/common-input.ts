import { z } from 'zod'
import { type NetworkName, networkNames, type SocialConfig } from '../config.js'
import type { ExtraMeta } from '../envelope/envelope.js'

export const networkInput = z.enum(networkNames)

export const sinceHoursInput = z.int().min(1).max(336).default(24).describe('How many hours back; at most 14 days.')

/** Characters of an opaque cursor. */
export const cursorInput = z
  .string()
  .min(1)
  .max(1_024)
  .describe('For the next page: meta.pagination.next_token of this one.')
  .optional()

/** Says so where all that was asked for is the built-in network's. */
export function backendOf(
  { networks }: Pick<SocialConfig, 'networks'>,
  asked: NetworkName | undefined,
): Pick<ExtraMeta, 'provider_backend'> {
  const all = asked === undefined ? networks : [asked]
  return all.every((name) => name === 'local') ? { provider_backend: 'local' } : {}
}
