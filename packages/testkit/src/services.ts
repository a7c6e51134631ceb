import type { Affinity, Definitions, Replicas } from '@callboard/protocol'
import type { Random } from './random.js'

export interface ToolSpec {
  readonly name: string
  readonly service: string
  readonly hint: 'none' | 'idempotent' | 'read_only'
  readonly timeoutMs: number
}

/** What one build of a worker offers: builds with the same number define the same. */
export interface Build {
  readonly version: string
  readonly drift: number
}

/** The second one is what a slip makes: other definitions under the same version. */
export const builds: readonly Build[] = [
  { version: '1.0.0', drift: 0 },
  { version: '1.0.0', drift: 1 },
  { version: '1.1.0', drift: 2 },
]
export const firstBuild: Build = builds[0]!

export interface ServiceSpec {
  readonly service: string
  readonly instances: number
  readonly concurrency: number
  readonly heartbeatMs: number
  readonly replicas: Replicas
  readonly affinity: Affinity
  readonly drainMs: number
  readonly trusted: boolean
  readonly tools: readonly ToolSpec[]
  readonly uri: string
}

export function isRetriable(tool: ToolSpec): boolean {
  return tool.hint !== 'none'
}

export function makeServices(random: Random): ServiceSpec[] {
  return Array.from({ length: random.integer(1, 3) }, (_, index) => makeService(random, `svc${index}`))
}

function makeService(random: Random, service: string): ServiceSpec {
  const replicas = random.chance(0.25) ? 'one' : 'many'
  return {
    service,
    instances: replicas === 'one' ? 1 : random.integer(1, 3),
    concurrency: random.pick([1, 1, 2, 3, 8]),
    heartbeatMs: random.pick([500, 1_000, 1_000, 2_000]),
    replicas,
    affinity: random.pick(['none', 'none', 'session', 'principal'] as const),
    drainMs: random.pick([200, 2_000, 10_000]),
    trusted: random.chance(0.5),
    tools: (['none', 'none', 'idempotent', 'read_only'] as const).map((hint, index) => ({
      name: `${service}_tool${index}`,
      service,
      hint,
      timeoutMs: random.pick([1_000, 5_000, 20_000]),
    })),
    uri: `${service}://thing`,
  }
}

/** What READY says; `extra` comes and goes by UPDATE. */
export function definitionsOf(spec: ServiceSpec, extra: boolean, drift = 0): Definitions {
  const tools = offeredBy(spec, drift).map(({ name, hint, timeoutMs }) => ({
    name,
    inputSchema: { type: 'object' as const, ...(isDrifting(name) && drift > 0 ? { minProperties: drift } : {}) },
    annotations: { idempotentHint: hint === 'idempotent', readOnlyHint: hint === 'read_only' },
    _meta: { 'callboard/timeoutMs': timeoutMs },
  }))
  const more = { name: extraToolName(spec.service), inputSchema: { type: 'object' as const } }
  return { tools: extra ? [...tools, more] : tools, resources: [{ uri: spec.uri, name: 'thing' }] }
}

/** The third tool has another schema in each build, and the last build is without the second. */
const isDrifting = (name: string): boolean => name.endsWith('_tool2')

function offeredBy({ tools }: ServiceSpec, drift: number): readonly ToolSpec[] {
  return drift < 2 ? tools : tools.filter(({ name }) => !name.endsWith('_tool1'))
}

/** Of a tool's name, a resource's URI or a routing id. */
export const serviceOf = (name: string): string => name.split(/[_:/]/, 1)[0]!

/** The tool that single sessions may have of their own, in the place of the one that all have. */
export const ownToolName = (service: string): string => `${service}_tool0`

/** The tool that comes and goes. */
export const extraToolName = (service: string): string => `${service}_extra`
