import { type Context, RpcError, type Worker } from '@callboard/worker'
import { errorObject } from '../failure/error-result.js'
import { ForumFailure } from '../failure/forum-failure.js'
import type { Foundation } from '../foundation.js'
import { resourceBytesMax } from '../limits.js'
import type { SiteDesk } from '../sites/site-desk.js'
import { callOf } from '../tools/serve-tool.js'
import type { ForumResource } from './forum-resource.js'

export interface ResourceParts extends Foundation {
  readonly desk: SiteDesk
}

/** Registers a resource; whatever keeps it from being read is an error of the protocol, with the error object as its data. */
export function serveResource(worker: Worker, resource: ForumResource, parts: ResourceParts): void {
  const { uri, name, title, description } = resource
  worker.resource(
    uri,
    { name, title, description, mimeType: 'application/json' },
    async (_uri, _variables, context) => {
      try {
        return fitting(uri, JSON.stringify(parts.redactor.value(await read(resource, context, parts))))
      } catch (error) {
        throw asRpcError(error, uri, context, parts)
      }
    },
  )
}

async function read(resource: ForumResource, context: Context, parts: ResourceParts): Promise<object> {
  const call = await callOf(context, parts)
  if (resource.needsCredential && call.selection.credential.kind === 'anonymous') {
    throw new ForumFailure(
      'not_authenticated',
      `${resource.uri} belongs to a user of the forum, and nobody is signed in.`,
      {
        hint: `The operator adds an auth_pairs entry for ${call.selection.base}.`,
      },
    )
  }
  return resource.read(call)
}

function fitting(uri: string, json: string): string {
  // As it goes into a message.
  const bytes = Buffer.byteLength(JSON.stringify(json))
  if (bytes <= resourceBytesMax) return json
  throw new ForumFailure(
    'unexpected_response',
    `${uri} of this forum has ${bytes} bytes, which is more than can be given at once (${resourceBytesMax}). Use the tools instead.`,
  )
}

function asRpcError(error: unknown, uri: string, context: Context, { redactor, log }: Foundation): unknown {
  if (!(error instanceof ForumFailure)) {
    // The SDK knows why an aborted call ended.
    if (context.signal.aborted) return error
    log.error({ err: error, uri }, 'a resource could not be read for a reason that nobody foresaw')
    return new RpcError(internalError, `${uri} could not be read; the forum worker's log tells more.`, { uri })
  }
  const data = { ...redactor.value(errorObject(error)), uri }
  return new RpcError(error.code === 'not_found' ? invalidParams : internalError, data.error, data)
}

/** Of JSON-RPC. */
const invalidParams = -32_602
const internalError = -32_603
