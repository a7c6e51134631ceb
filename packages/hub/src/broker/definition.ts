import { createHash } from 'node:crypto'
import {
  type DefinitionKind,
  type Definitions,
  deadlineMsDefault,
  deadlineMsMax,
  isKeptUri,
  nameLengthMax,
  uriLengthMax,
} from '@callboard/protocol'
import { definitionDepthMax, definitionsPerBodyMax } from './limits.js'
import { viewName } from './sight.js'

/** One accepted definition of one service. */
export interface Definition {
  readonly kind: DefinitionKind
  /** The name, URI or URI template that agents use. */
  readonly key: string
  /** The one that the worker knows it by. */
  readonly workerKey: string
  readonly service: string
  /** The one by which a session's view hides or shows it. */
  readonly viewName: string
  /** In no list but those of sessions whose view shows it. */
  readonly onlyShown?: true
  /** There only for sessions whose view has it. */
  readonly own?: true
  /** Only this instance can answer: it is a result that it keeps, and nothing that anybody defined. [CB-101] */
  readonly keeper?: string
  /** As agents see it. */
  readonly listed: Listed
  /** Absent: every role sees it. */
  readonly roles?: readonly string[]
  readonly timeoutMs: number
  /** A second execution does no harm, so that a call may be handed over again. */
  readonly retriable: boolean
  /** Tells a changed definition from an equal one. */
  readonly hash: string
  /** Its JSON text's length. */
  readonly characters: number
  /** As the worker sent it. */
  readonly value: Listed
}

export type Listed = { readonly [key: string]: unknown }

/** Something that a worker sent as a definition, taken apart but not judged. */
export interface Candidate {
  readonly kind: DefinitionKind
  readonly key: string
  readonly value: { readonly [key: string]: unknown }
}

const lists = [
  ['tools', 'tool', 'name'],
  ['resources', 'resource', 'uri'],
  ['resourceTemplates', 'resourceTemplate', 'uriTemplate'],
  ['prompts', 'prompt', 'name'],
] as const

/** Reads the body of READY or UPDATE; undefined when it is no object of lists, or beyond what can be judged. */
export function parseDefinitions(body: Uint8Array): Definitions | undefined {
  const value = parseJson(body)
  if (!isObject(value) || isDeeper(value, definitionDepthMax)) return undefined
  let count = 0
  for (const list of ['completions', ...lists.map(([each]) => each)]) {
    const entries = value[list] ?? []
    if (!Array.isArray(entries)) return undefined
    count += entries.length
  }
  return count > definitionsPerBodyMax ? undefined : (value as Definitions)
}

/** Whoever walks a value that is too deep, to check or to print it, runs out of stack. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((entry) => isDeeper(entry, levels - 1))
  // Without an array of what is in it: this looks at all that comes in.
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true
  return false
}

export function candidates(definitions: Definitions): Candidate[] {
  const found: Candidate[] = []
  for (const [list, kind, keyName] of lists) {
    for (const value of definitions[list] ?? []) {
      if (!isObject(value)) found.push({ kind, key: '', value: {} })
      else found.push({ kind, key: typeof value[keyName] === 'string' ? value[keyName] : '', value })
    }
  }
  return found
}

/** What is wrong with a definition's form, as a sentence; undefined when it may be offered. */
export function formProblem(candidate: Candidate): string | undefined {
  const { kind, key, value } = candidate
  const { 'callboard/roles': roles, 'callboard/listed': listed } = isObject(value['_meta']) ? value['_meta'] : {}
  // What is meant for a few must not be shown to all for a slip of the pen.
  if (roles !== undefined && !isListOfText(roles)) return '_meta["callboard/roles"] must be a list of roles'
  if (listed !== undefined && typeof listed !== 'boolean') return '_meta["callboard/listed"] must be true or false'
  switch (kind) {
    case 'tool':
      if (key.length > nameLengthMax || !/^[A-Za-z0-9_./-]+$/.test(key)) {
        return `a tool name has 1 to ${nameLengthMax} of A-Z a-z 0-9 _ . / -`
      }
      if (!isObject(value['inputSchema']) || value['inputSchema']['type'] !== 'object') {
        return 'inputSchema must be a JSON Schema with "type": "object"'
      }
      return undefined
    case 'prompt':
      return key.length >= 1 && key.length <= 128 ? undefined : 'a prompt name has 1 to 128 characters'
    case 'resource':
      return uriProblem(key, 'uri must be absolute, with a scheme') ?? nameProblem(value)
    case 'resourceTemplate':
      return uriProblem(literalPrefix(key), 'uriTemplate must begin with a literal scheme') ?? nameProblem(value)
  }
}

/** What comes before a template's first expression: the part of the URI space that it claims. */
export function literalPrefix(uriTemplate: string): string {
  const brace = uriTemplate.indexOf('{')
  return brace < 0 ? uriTemplate : uriTemplate.slice(0, brace)
}

/** Accepts a candidate under the name that agents will use. */
export function define(
  candidate: Candidate,
  service: string,
  key: string,
  text = JSON.stringify(candidate.value),
): Definition {
  const meta = isObject(candidate.value['_meta']) ? candidate.value['_meta'] : {}
  const annotations = isObject(candidate.value['annotations']) ? candidate.value['annotations'] : {}
  const roles = meta['callboard/roles']
  const timeoutMs = meta['callboard/timeoutMs']
  return {
    kind: candidate.kind,
    key,
    workerKey: candidate.key,
    service,
    viewName: viewName(candidate.kind, candidate.key),
    ...(meta['callboard/listed'] === false ? { onlyShown: true } : {}),
    listed: listedForm(candidate, meta, key),
    ...(Array.isArray(roles) ? { roles: roles.filter((role) => typeof role === 'string') } : {}),
    timeoutMs: typeof timeoutMs === 'number' && timeoutMs >= 1 ? Math.min(timeoutMs, deadlineMsMax) : deadlineMsDefault,
    // Reading a resource, a prompt or a completion changes nothing by the meaning of these methods.
    retriable:
      candidate.kind !== 'tool' || annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true,
    hash: hashOf(text, key),
    characters: text.length,
    value: candidate.value,
  }
}

export function hashOf(text: string, key: string): string {
  return createHash('sha256').update(text).update(key).digest('base64url')
}

/** What is kept of a service: what was accepted, as it was sent. */
export function acceptedOnly(definitions: readonly Definition[], { completions }: Definitions): Definitions {
  const accepted: Record<string, unknown> = {}
  for (const [list, kind] of lists) {
    const values = definitions.filter((definition) => definition.kind === kind).map(({ value }) => value)
    if (values.length > 0) accepted[list] = values
  }
  const references = (completions ?? []).filter((reference) => typeof reference === 'string')
  return references.length > 0 ? { ...accepted, completions: references } : accepted
}

/** Agents see every key but those that steer the hub. */
function listedForm(candidate: Candidate, meta: { readonly [key: string]: unknown }, key: string): Listed {
  const { _meta, ...rest } = candidate.value
  const shown = Object.fromEntries(Object.entries(meta).filter(([name]) => !name.startsWith('callboard/')))
  return {
    ...rest,
    ...(candidate.kind === 'tool' || candidate.kind === 'prompt' ? { name: key } : {}),
    ...(Object.keys(shown).length > 0 ? { _meta: shown } : {}),
  }
}

function nameProblem(value: { readonly [key: string]: unknown }): string | undefined {
  return typeof value['name'] === 'string' && value['name'] !== '' ? undefined : 'name is missing'
}

const isListOfText = (value: unknown): boolean =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string')

function uriProblem(uri: string, withoutScheme: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:./i.test(uri) || uri.length > uriLengthMax) return withoutScheme
  return isKeptUri(uri) ? 'callboard-result: is for results that workers keep; choose another scheme' : undefined
}

export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
