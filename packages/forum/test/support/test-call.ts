import type { Context } from '@callboard/worker'
import type { z } from 'zod'
import { anonymous, type Credential } from '../../src/http/credential.js'
import type { SiteClient } from '../../src/http/site-client.js'
import { callMs } from '../../src/limits.js'
import type { Selection } from '../../src/sites/selection.js'
import type { ForumTool, ToolCall } from '../../src/tools/forum-tool.js'
import { plainClient } from './plain-client.js'

export interface TestCallOptions {
  /** Default: nobody. */
  readonly credential?: Credential
  /** Default: a plain one, for that credential. */
  readonly client?: SiteClient
  readonly selection?: Partial<Selection>
  readonly owner?: string
  readonly signal?: AbortSignal
  /** UTC ms. */
  readonly deadline?: number
}

/** A call of an agent that has selected the forum at that base. */
export function testCall(base: string, options: TestCallOptions = {}): ToolCall {
  const { credential = anonymous, owner = 'agent:ada', signal = new AbortController().signal } = options
  const { client = plainClient(base, credential), deadline = Date.now() + callMs } = options
  const selection: Selection = {
    base,
    title: 'Test forum',
    version: '2026.9.0',
    credential,
    client,
    whyNoWrites: undefined,
    remoteTools: [],
    ...options.selection,
  }
  return { selection, client, scope: { deadline, signal }, owner, context: contextOf(owner, signal, deadline) }
}

/** Of an admin key (with the user as whom it acts) or of a user's own key (with its client id). */
export function keyCredential(
  key: { readonly key: string } & ({ readonly username: string } | { readonly clientId: string }),
): Credential {
  if ('clientId' in key) {
    const headers = { 'User-Api-Key': key.key, 'User-Api-Client-Id': key.clientId }
    return { id: `user-key ${key.clientId}`, kind: 'user_api_key', headers: () => headers }
  }
  const { key: secret, username } = key
  return {
    id: `admin-key ${username}`,
    kind: 'api_key',
    username,
    headers: (actAs = username) => ({ 'Api-Key': secret, 'Api-Username': actAs }),
  }
}

/**
 * What a read tool answers. Arguments are checked as those of an agent are, and the answer by the tool's own schema; throws
 * where either does not fit.
 */
// biome-ignore lint/suspicious/noExplicitAny: each test knows what its tool answers; the schema has been checked.
export async function readWith(tool: ForumTool, args: object, call: ToolCall): Promise<any> {
  if (tool.kind !== 'read') throw new Error(`${tool.name} is no read tool`)
  const input = tool.input.strict().parse(args) as z.output<z.ZodObject>
  return tool.output.strict().parse(await tool.read(input, call))
}

function contextOf(principal: string, signal: AbortSignal, deadline: number): Context {
  const none = (what: string) => () => {
    throw new Error(`nobody is there for ${what}`)
  }
  return {
    callId: 'call-1',
    caller: { session: 'session-1', principal, roles: ['agent'], depth: 0 },
    client: { generation: 'modern', input: [], progress: false },
    signal,
    deadline,
    idempotencyKey: 'call-1',
    meta: {},
    progress: () => undefined,
    log: () => undefined,
    call: none('calls'),
    tools: none('the catalogue'),
    keep: none('data'),
    elicit: none('questions'),
    sample: none('samples'),
    roots: none('roots'),
  }
}
