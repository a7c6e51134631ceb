import { onTestFinished } from 'vitest'
import { createHubLog, parseHubConfig, type RunningHub, startHub } from '../../../src/index.js'
import { RawHttp } from '../../raw-http.js'
import { RawWorker } from '../../raw-worker.js'
import { temporaryDirectory } from '../../temporary.js'

export interface OpenHub {
  readonly hub: RunningHub
  readonly port: number
  /** Offers the tool `raw`. */
  readonly worker: RawWorker
  connect(): Promise<RawHttp>
}

/** A whole hub that offers everything over HTTP to everybody, and a worker whose answers the test gives. */
export async function openHub(): Promise<OpenHub> {
  const [runtime, data] = await Promise.all([temporaryDirectory(), temporaryDirectory()])
  const directories = { CALLBOARD_RUNTIME: runtime, CALLBOARD_DATA: data }
  const config = parseHubConfig({
    environment: { ...directories, CALLBOARD_HTTP: '127.0.0.1:0', CALLBOARD_HTTP_OPEN: '*' },
  })
  const log = createHubLog('silent', process.stderr)
  const hub = await startHub({ config, version: '0.0.0', log, expects: [] })
  onTestFinished(() => hub.stop())
  const worker = await new RawWorker(hub.workerEndpoint).signIn({ concurrency: 64 })
  const { port } = hub.httpAddresses[0]!
  return { hub, port, worker, connect: () => RawHttp.open(port) }
}

export const callText = (id = 1, more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'raw' }, ...more })

const clientInfo = { name: 'p', version: '1' }
export const initializeText = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
})

/** A legacy session, and the headers of its requests. */
export async function openSession(client: RawHttp): Promise<Record<string, string>> {
  const { head } = await client.request('POST /mcp', {}, initializeText).answer()
  const id = /^mcp-session-id: (\S+)/im.exec(head)![1]!
  return { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25' }
}
