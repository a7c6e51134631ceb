import type { Role } from '@callboard/protocol'
import { z } from 'zod'
import { patternsMax } from './broker/limits.js'
import { isPattern, patternRule, type ToolFilter } from './broker/tool-filter.js'
import type { CatalogueView, Identity } from './port.js'

/** What of the catalogue somebody gets into its context, and how. What is absent, the next wider settings say. */
export interface CatalogueSettings {
  readonly tools?: ToolFilter | undefined
  readonly mode?: CatalogueView['mode'] | undefined
  readonly searchAboveTokens?: number | undefined
  readonly pinned?: readonly string[] | undefined
}

export interface CatalogueConfig extends CatalogueSettings {
  readonly roles: Readonly<Partial<Record<Role, CatalogueSettings>>>
}

/** What a client asks for itself: it can only narrow what the configuration gives. */
export interface ClientView {
  readonly only?: readonly string[]
  readonly mode?: 'search'
}

/** About a tenth of what models take as context. */
const searchAboveTokensDefault = 20_000

const noPattern = ({ input }: { readonly input?: unknown }) =>
  `${JSON.stringify(input)?.slice(0, 80)} is no pattern: ${patternRule}`
const pattern = z.string({ error: noPattern }).refine(isPattern, { error: noPattern })
const patterns = z
  .array(pattern, 'must be a list, like ["forum:*"]')
  .max(patternsMax, `must have at most ${patternsMax} patterns`)

export const filterFields = { only: patterns, except: patterns }

export const catalogueFields = {
  tools: z.record(z.string(), z.unknown(), 'must be an object, like {"only": ["forum:*"]}'),
  mode: z.enum(['all', 'auto', 'search'], 'must be all, auto or search'),
  searchAboveTokens: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(10_000_000, 'must be at most 10000000'),
  pinned: patterns,
}

export const roleFields = {
  agent: z.record(z.string(), z.unknown(), 'must be an object, like {"mode": "search"}'),
  operator: z.record(z.string(), z.unknown(), 'must be an object, like {"mode": "all"}'),
}

export interface ViewSources {
  readonly catalogue: CatalogueConfig
  readonly agents: Readonly<Record<string, { readonly catalogue?: CatalogueSettings | undefined }>>
}

/** The identity with its view: of each setting the one that is closest to it counts, its own, its role's, everybody's. */
export function withView(identity: Identity, { catalogue, agents }: ViewSources, client: ClientView = {}): Identity {
  const name = identity.principal.startsWith('agent:') ? identity.principal.slice('agent:'.length) : undefined
  const own = name !== undefined && Object.hasOwn(agents, name) ? agents[name]?.catalogue : undefined
  const roles = (['operator', 'agent'] as const).filter((role) => identity.roles.includes(role))
  const closest = [own, ...roles.map((role) => catalogue.roles[role]), catalogue].filter((each) => each !== undefined)
  const setting = <K extends keyof CatalogueSettings>(key: K) => closest.find((each) => each[key] !== undefined)?.[key]
  const tools = setting('tools')
  const filters = [...(tools === undefined ? [] : [tools]), ...(client.only === undefined ? [] : [client])]
  const mode = client.mode ?? setting('mode') ?? 'all'
  if (filters.length === 0 && mode === 'all') return identity
  const searchAboveTokens = setting('searchAboveTokens') ?? searchAboveTokensDefault
  const view = { filters: filters.map(({ only, except }: ToolFilter) => ({ only, except })), mode, searchAboveTokens }
  return { ...identity, view: { ...view, pinned: setting('pinned') ?? [] } }
}
