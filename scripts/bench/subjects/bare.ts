import { join } from 'node:path'
import { programFile, type Scene } from './scene.js'
import type { Subject, SubjectName } from './subject.js'

/** What a call costs with nothing, or next to nothing, between. */
export const bareSubjects: readonly Subject[] = [
  onStdio('direct', 'direct SDK server', () => [programFile('direct-server')]),
  onStdio('proxy', 'naive SDK proxy', () => [programFile('naive-proxy'), programFile('direct-server')]),
  onStdio('proxy2', 'naive proxy on SDK 2', () => [programFile('naive-proxy-2'), programFile('direct-server')]),
  { name: 'raw', title: 'raw ROUTER/DEALER', way: 'lines', start: startRaw },
  { name: 'node-http', title: 'bare node:http', way: 'http', start: startHttp },
]

function onStdio(name: SubjectName, title: string, words: () => readonly string[]): Subject {
  const start = async (scene: Scene) => {
    const program = { command: process.execPath, args: words(), env: scene.environment }
    const client = await scene.client({ kind: 'stdio', tool: 'echo', era: 'legacy', program })
    return { client, hub: client.program!, processes: [client.program!] }
  }
  return { name, title, way: 'lines', start }
}

async function startRaw(scene: Scene) {
  const endpoint = `ipc://${join(scene.directory, 'raw.sock')}`
  const broker = await scene.program('raw-broker', [endpoint])
  const worker = await scene.program('raw-worker', [endpoint])
  const client = await scene.client({ kind: 'dealer', tool: 'echo', era: 'none', endpoint })
  return { client, hub: broker.pid, processes: [broker.pid, worker.pid] }
}

async function startHttp(scene: Scene) {
  const { pid, told } = await scene.program('http-echo', [])
  const { port } = told as { readonly port: number }
  const client = await scene.client({ kind: 'http', tool: 'echo', era: 'none', url: `http://127.0.0.1:${port}/mcp` })
  return { client, hub: pid, processes: [pid] }
}
