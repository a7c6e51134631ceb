import { z } from 'zod'
import { type NetworkName, networkNames } from '../config.js'
import type { ExtraMeta } from '../envelope/envelope.js'

export const networkInput = z.enum(networkNames).optional().describe('Default: the first that is switched on')
export const networkFilter = z.enum(networkNames).optional().describe('Only of this network; default: of all')

/** The built-in network says that it is one, wherever it is meant. */
export function backendOf(...networks: readonly (NetworkName | undefined)[]): Pick<ExtraMeta, 'provider_backend'> {
  return networks.includes('local') ? { provider_backend: 'local' } : {}
}
