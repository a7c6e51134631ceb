import type { IncomingMessage } from 'node:http'
import { nearestName } from '@callboard/protocol/nearest-name'
import type { ClientView } from '../catalogue-config.js'
import { parseClientView } from '../mcp/client-view.js'
import type { Identity } from '../port.js'
import type { HttpError } from './answers.js'
import { bearerTokenOf } from './bearer-token.js'

export interface HttpAttach {
  /** The bearer token of the request; absent: it has no Authorization at all. */
  readonly token?: string
  /** Which of its sessions the client means: ours for a legacy one, one of its own choice otherwise; absent: it has but one. */
  readonly session?: { readonly kind: 'legacy' | 'chosen'; readonly name: string }
  /** What the client wants in its lists, from the URL. */
  readonly view?: ClientView
}

export interface HttpRefusal {
  readonly status: number
  readonly error: { readonly code: string; readonly message: string }
  readonly headers?: Readonly<Record<string, string>>
}

/** The same object for two requests: the same caller, by the same token, whichever session both name. */
export type HttpAuthenticate = (attach: HttpAttach) => Identity | HttpRefusal | Promise<Identity | HttpRefusal>

/** Says who sends a request. */
export class Callers {
  readonly #authenticate: HttpAuthenticate

  constructor(authenticate: HttpAuthenticate) {
    this.#authenticate = authenticate
  }

  /** At once where nobody has to be asked. */
  identify(
    request: IncomingMessage,
    session?: HttpAttach['session'],
  ): Identity | HttpError | Promise<Identity | HttpError> {
    const bearer = bearerTokenOf(request.headers)
    if (bearer === 'malformed') return refused(malformedAuthorization)
    const view = viewIn(request.url)
    if (typeof view === 'string')
      return refused({ status: 400, error: { code: 'bad_query', message: `The URL's ${view}` } })
    const caller = this.#authenticate(attachOf(bearer?.token, session, view))
    return caller instanceof Promise ? caller.then(found) : found(caller)
  }
}

const nothing: HttpAttach = {}

function attachOf(
  token: HttpAttach['token'] | undefined,
  session: HttpAttach['session'] | undefined,
  view: HttpAttach['view'] | undefined,
): HttpAttach {
  if (token === undefined && session === undefined && view === undefined) return nothing
  return {
    ...(token !== undefined && { token }),
    ...(session !== undefined && { session }),
    ...(view !== undefined && { view }),
  }
}

const malformedAuthorization: HttpRefusal = {
  status: 401,
  error: { code: 'unauthorized', message: 'Authorization must be "Bearer", a space and a token' },
  headers: { 'www-authenticate': 'Bearer' },
}

function found(caller: Identity | HttpRefusal): Identity | HttpError {
  return 'error' in caller ? refused(caller) : caller
}

function refused({ status, error, headers }: HttpRefusal): HttpError {
  return { status, code: error.code.toUpperCase(), message: error.message, ...(headers !== undefined && { headers }) }
}

/** What proxies and clients add of their own is none of our business; what is nearly one of these shows too much if ignored. */
const viewKeys = ['tools', 'mode']

/** `/mcp?tools=forum:*&mode=search` */
function viewIn(url = ''): ClientView | string | undefined {
  if (!url.includes('?')) return undefined
  const query = new URLSearchParams(url.split('?', 2)[1])
  for (const key of query.keys()) {
    if (viewKeys.includes(key)) continue
    const meant = nearestName(key, viewKeys)
    if (meant !== undefined) return `query has no ${JSON.stringify(key)}: did you mean ${meant}?`
  }
  const view = parseClientView(query.get('tools') ?? undefined, query.get('mode') ?? undefined)
  return typeof view === 'string' || Object.keys(view).length > 0 ? view : undefined
}
