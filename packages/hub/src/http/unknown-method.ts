import { isRecord, methodNotFound } from '../mcp/json-rpc.js'
import { isEventStream } from './exchange.js'

/** Workers answer these; if one says that there is no such method, that is its own error and no matter of HTTP. */
const workerMethods = ['tools/call', 'resources/read', 'prompts/get', 'completion/complete']

/** More than such an error takes, so that no list is parsed for it. */
const errorLengthMax = 1024

/**
 * A modern client learns by the status that a method does not exist. The SDK says so only where it has no handler, and the
 * hub has one for whatever comes.
 */
export async function unknownMethodAs404(served: Response, body: unknown): Promise<Response> {
  const isAsked = isRecord(body) && !workerMethods.includes(String(body['method']))
  if (!isAsked || served.status !== 200 || isEventStream(served)) return served
  const text = await served.text()
  const isUnknown = text.length <= errorLengthMax && errorCodeIn(text) === methodNotFound
  return new Response(text, { status: isUnknown ? 404 : 200, headers: served.headers })
}

function errorCodeIn(text: string): unknown {
  const message: unknown = JSON.parse(text)
  return isRecord(message) && isRecord(message['error']) ? message['error']['code'] : undefined
}
