import type { Client, LogLevel } from '@callboard/protocol'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ListScope } from '../port.js'

export type Era = 'legacy' | 'modern'

/** Modern lists may not vary by connection. */
export const scopeOf = (era: Era): ListScope => (era === 'modern' ? 'principal' : 'session')

export type InputKind = Client['input'][number]

/** Set by the HTTP front on requests whose sender reads one JSON answer and no stream: it can be told and asked nothing. */
export const jsonOnlyHeader = 'x-callboard-json-only'

export function describeClient(era: Era, server: Server, legacyLevel: LogLevel, ctx: ServerContext): Client {
  const level = era === 'legacy' ? legacyLevel : (envelopeOf(ctx)[LOG_LEVEL_META_KEY] as LogLevel | undefined)
  return clientOf(era, declaredCapabilities(era, server, ctx), {
    level,
    listens: ctx.http?.req?.headers.has(jsonOnlyHeader) !== true,
    progress: ctx.mcpReq._meta?.progressToken !== undefined,
  })
}

export interface ClientWishes {
  readonly level: LogLevel | undefined
  /** False: it reads one answer and no stream. */
  readonly listens: boolean
  readonly progress: boolean
}

export function clientOf(
  era: Era,
  capabilities: ClientCapabilities | undefined,
  { level, listens, progress }: ClientWishes,
): Client {
  return {
    generation: era,
    // A modern client is asked by the result itself, for which no stream is needed.
    input: listens || era === 'modern' ? inputKinds(capabilities) : [],
    ...(listens && level !== undefined && { logLevel: level }),
    progress: listens && progress,
  }
}

/** Whether a modern client says on this very request that it knows the extension. */
export function declaresExtension(ctx: ServerContext, id: string): boolean {
  const capabilities = envelopeOf(ctx)[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  return capabilities?.extensions !== undefined && Object.hasOwn(capabilities.extensions, id)
}

/** What a client must have said it can do before it is sent this request; undefined: no such request exists. */
export function inputKindOf(method: string, params: unknown): InputKind | undefined {
  switch (method) {
    case 'elicitation/create':
      return (params as { mode?: unknown } | undefined)?.mode === 'url' ? 'url' : 'form'
    case 'sampling/createMessage':
      return 'sampling'
    case 'roots/list':
      return 'roots'
    default:
      return undefined
  }
}

/** The capability to name in the error when a client lacks one. */
export function capabilityFor(kind: InputKind): ClientCapabilities {
  switch (kind) {
    case 'form':
    case 'url':
      return { elicitation: { [kind]: {} } }
    case 'sampling':
      return { sampling: {} }
    case 'roots':
      return { roots: {} }
    default:
      return kind satisfies never
  }
}

/** As the client has them at this request. */
export function declaredCapabilities(era: Era, server: Server, ctx: ServerContext): ClientCapabilities | undefined {
  if (era === 'legacy') return server.getClientCapabilities()
  return envelopeOf(ctx)[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
}

/** What a modern request says about its sender; the SDK has checked it. */
function envelopeOf(ctx: ServerContext): Record<string, unknown> {
  return (ctx.mcpReq.envelope ?? {}) as Record<string, unknown>
}

function inputKinds(capabilities: ClientCapabilities | undefined): InputKind[] {
  const kinds: InputKind[] = []
  const elicitation = capabilities?.elicitation
  if (elicitation !== undefined) {
    // A bare `elicitation: {}` is from before there were modes and means forms.
    if (elicitation.form !== undefined || elicitation.url === undefined) kinds.push('form')
    if (elicitation.url !== undefined) kinds.push('url')
  }
  if (capabilities?.sampling !== undefined) kinds.push('sampling')
  if (capabilities?.roots !== undefined) kinds.push('roots')
  return kinds
}
