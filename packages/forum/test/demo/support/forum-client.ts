import { type ForumServerOptions, startForumServer } from '@callboard/forum/demo'
import { VirtualClock } from '@callboard/worker/testing'
import { onTestFinished } from 'vitest'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a forum answers is read by its shape, as its callers do
  readonly json: any
}

/** A forum on a port of its own, and how to ask it as whom. Closed at the end of the test. */
export async function openForum(options: ForumServerOptions = {}) {
  const clock = new VirtualClock()
  const server = await startForumServer({ clock, village: false, ...options })
  onTestFinished(() => server.close())
  const { keys } = server

  const ask = async (method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Reply> => {
    const isPlain = body === undefined || body instanceof FormData || typeof body === 'string'
    const reply = await fetch(`${server.base}${path}`, {
      method,
      headers: { ...(!isPlain && { 'content-type': 'application/json' }), ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body: isPlain ? (body as string | FormData) : JSON.stringify(body) }),
    })
    const text = await reply.text()
    return { status: reply.status, headers: reply.headers, text, json: parsed(text) }
  }
  const as = (headers: Record<string, string>) => ({
    get: (path: string) => ask('GET', path, headers),
    post: (path: string, body: unknown) => ask('POST', path, headers, body),
    put: (path: string, body: unknown = {}) => ask('PUT', path, headers, body),
    delete: (path: string) => ask('DELETE', path, headers),
  })
  const withUserKey = ({ key, clientId }: { readonly key: string; readonly clientId: string }) =>
    as({ 'user-api-key': key, 'user-api-client-id': clientId })
  return {
    server,
    forum: server.forum,
    clock,
    as,
    anonymous: as({}),
    admin: as({ 'api-key': keys.admin.key, 'api-username': 'mayor' }),
    adminAs: (username: string) => as({ 'api-key': keys.admin.key, 'api-username': username }),
    user: (username: string) => withUserKey(keys.user(username)),
    readOnly: (username: string) => withUserKey(keys.readOnly(username)),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
