import type { IncomingMessage, ServerResponse } from 'node:http'
import { PROTOCOL_VERSION_META_KEY, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { Era } from '../mcp/client-descriptor.js'
import { type DescribedAgent, describeOnce } from '../mcp/described-agent.js'
import type { DirectRequest } from '../mcp/direct-request.js'
import { isRecord } from '../mcp/json-rpc.js'
import type { KnownEnvelopes } from '../mcp/known-envelopes.js'
import { sessionMeta } from '../mcp/reserved-meta.js'
import type { Connection, Identity } from '../port.js'
import type { AnswerForm } from './accept.js'
import type { Callers } from './callers.js'
import { whenClosed } from './exchange.js'
import type { LegacySession, LegacySessions } from './legacy-sessions.js'
import type { SharedConnections } from './shared-connections.js'

/** A POST to `/mcp` whose sender is known and whose body is read. */
export interface Sent {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly form: AnswerForm
  readonly caller: Identity
}

/** What a message says of itself. */
export type Claims =
  | { readonly method: 'tools/call'; readonly asked: DirectRequest }
  | { readonly method: 'tools/list'; readonly asked: Pick<DirectRequest, 'meta'> }

/** Whose a request is, as far as that needs no second look. */
export interface Route {
  readonly era: Era
  readonly connection: Connection
  readonly agent: DescribedAgent
  /** The legacy client's, where it has one. */
  readonly session: LegacySession | undefined
}

export interface RouteFinderParts {
  readonly callers: Callers
  readonly shared: SharedConnections
  readonly sessions: LegacySessions
  /** What modern clients say of themselves, and the SDK let pass. */
  readonly envelopes: KnownEnvelopes
}

const modernVersion = '2026-07-28'
const reservedMeta = 'io.modelcontextprotocol/'

/**
 * Finds the way of a request that is all as usual: its headers and its body say the same, and what it says of itself is known. Any other it
 * leaves to those who know what to say to it.
 */
export class RouteFinder {
  readonly #parts: RouteFinderParts

  constructor(parts: RouteFinderParts) {
    this.#parts = parts
  }

  /** @throws TooBusyError */
  find(sent: Sent, claims: Claims): Route | undefined | Promise<Route | undefined> {
    const { meta } = claims.asked
    if (PROTOCOL_VERSION_META_KEY in meta) return this.#modern(sent, claims)
    const version = sent.request.headers['mcp-protocol-version']
    if (version !== undefined && !isLegacyVersion(version)) return undefined
    for (const key in meta) if (key.startsWith(reservedMeta)) return undefined
    const id = sent.request.headers['mcp-session-id']
    if (id !== undefined) return typeof id === 'string' ? this.#inSession(id, sent) : undefined
    return { era: 'legacy', connection: this.#lease(sent.caller, sent.response), agent: stranger, session: undefined }
  }

  /** `meta`: of a modern request that the SDK found to be one. */
  learn(meta: unknown): void {
    if (isRecord(meta) && meta[PROTOCOL_VERSION_META_KEY] === modernVersion) this.#parts.envelopes.learn(meta)
  }

  #inSession(id: string, sent: Sent): Route | undefined | Promise<Route | undefined> {
    const session = this.#parts.sessions.reached(id, sent.caller)
    return session === undefined ? this.#reach(id, sent) : routeIn(session)
  }

  async #reach(id: string, { request, caller }: Sent): Promise<Route | undefined> {
    const identity = await this.#parts.callers.identify(request, { kind: 'legacy', name: id })
    if ('status' in identity) return undefined
    const session = await this.#parts.sessions.reach(id, identity)
    if (session === undefined) return undefined
    this.#parts.sessions.remember(id, caller)
    return routeIn(session)
  }

  #modern(sent: Sent, claims: Claims): Route | undefined | Promise<Route | undefined> {
    const { request, response, caller } = sent
    const { meta } = claims.asked
    if (meta[PROTOCOL_VERSION_META_KEY] !== modernVersion || !isMirrored(request, claims)) return undefined
    const agent = this.#parts.envelopes.find(meta)
    const name = meta[sessionMeta]
    if (agent === undefined || (name !== undefined && typeof name !== 'string')) return undefined
    if (name !== undefined) return this.#chosen(name, agent, sent)
    return { era: 'modern', connection: this.#lease(caller, response), agent, session: undefined }
  }

  async #chosen(name: string, agent: DescribedAgent, { request, response }: Sent): Promise<Route | undefined> {
    const identity = await this.#parts.callers.identify(request, { kind: 'chosen', name })
    if ('status' in identity) return undefined
    return { era: 'modern', connection: this.#lease(identity, response), agent, session: undefined }
  }

  #lease(identity: Identity, response: ServerResponse): Connection {
    const lease = this.#parts.shared.acquire(identity)
    whenClosed(response, () => lease.release())
    lease.onEnded(() => response.destroy())
    return lease.connection
  }
}

function routeIn(session: LegacySession): Route | undefined {
  const agent = session.agent()
  return agent && { era: 'legacy', connection: session.connection, agent, session }
}

/** A legacy client that has not introduced itself. */
const stranger = describeOnce('legacy', {}, 'info')

const legacyVersions = new Set(SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < modernVersion))

function isLegacyVersion(version: string | string[]): boolean {
  return typeof version === 'string' && legacyVersions.has(version)
}

/** As the SDK has it: the three headers must be there, and say what the body says. Other spellings of the same are its business. */
function isMirrored({ headers }: IncomingMessage, claims: Claims): boolean {
  if (headers['mcp-protocol-version'] !== modernVersion || headers['mcp-method'] !== claims.method) return false
  return claims.method !== 'tools/call' || headers['mcp-name'] === claims.asked.name
}
