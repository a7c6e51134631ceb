import { setTimeout as delay } from 'node:timers/promises'
import type { Visits } from './visitor.js'

const revision = '2025-11-25'
const info = { name: 'visitor', version: '1' }

/** A legacy client over HTTP: a session of its own with an open stream, ended by DELETE. Never rejects. */
export async function visitHttp(url: string, stayMs: number, visits: Visits): Promise<void> {
  visits.visits += 1
  try {
    const session = await openSession(url)
    const ended = new AbortController()
    const stream = listen(url, session, ended.signal, visits)
    const answer = await post(url, session, {
      id: 2,
      method: 'tools/call',
      params: { name: 'soak_steps', arguments: { steps: 3, eachMs: 10 } },
    })
    if (answer.includes('"structuredContent"')) visits.results += 1
    else visits.failures.push(`http: ${answer.slice(0, 200)}`)
    await delay(stayMs)
    ended.abort()
    await stream
    await fetch(url, { method: 'DELETE', headers: headersOf(session) })
  } catch (error) {
    visits.failures.push(`http: ${(error as Error).message}`)
  }
}

async function openSession(url: string): Promise<string> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: info }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const response = await fetch(url, { method: 'POST', headers: headersOf(), body })
  await response.text()
  const session = response.headers.get('mcp-session-id')
  if (session === null) throw new Error(`no session: ${response.status}`)
  await post(url, session, { method: 'notifications/initialized' })
  return session
}

async function post(url: string, session: string, message: object): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  return (await fetch(url, { method: 'POST', headers: headersOf(session), body })).text()
}

async function listen(url: string, session: string, signal: AbortSignal, visits: Visits): Promise<void> {
  try {
    const headers = { ...headersOf(session), accept: 'text/event-stream' }
    const response = await fetch(url, { headers, signal })
    for await (const chunk of response.body ?? []) {
      if (Buffer.from(chunk as Uint8Array).includes('tools/list_changed')) visits.listChanges += 1
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

const headersOf = (session?: string): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  // Whoever has left holds no connection.
  connection: 'close',
  'mcp-protocol-version': revision,
  ...(session !== undefined && { 'mcp-session-id': session }),
})
