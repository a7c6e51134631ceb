import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quietPort } from '../../chaos/quiet-port.js'
import type { Opening, ProgramCommand } from '../client/client-messages.js'
import { programFile, type Scene } from './scene.js'
import type { Subject, SubjectName } from './subject.js'

type Address = { readonly tool: string } & (
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'sse'; readonly url: string }
)

interface Served {
  readonly args: readonly string[]
  readonly address: Address
}

const direct = () => [process.execPath, programFile('direct-server')] as const

/** What else npm has to stand between an agent and the direct server, each in its own fastest way. */
export const rivalSubjects: readonly Subject[] = [
  rival('mcp-hub', 'dist/cli.js', (port, home) => {
    const config = join(home, 'servers.json')
    const [program, file] = direct()
    writeFileSync(config, JSON.stringify({ mcpServers: { direct: { command: program, args: [file] } } }))
    return {
      args: ['--port', `${port}`, '--config', config],
      address: { kind: 'sse', tool: 'direct__echo', url: `http://127.0.0.1:${port}/mcp` },
    }
  }),
  rival('mcp-proxy', 'dist/bin/mcp-proxy.mjs', (port) => ({
    args: ['--port', `${port}`, '--server', 'stream', '--', ...direct()],
    address: { kind: 'http', tool: 'echo', url: `http://127.0.0.1:${port}/mcp` },
  })),
  rival('supergateway', 'dist/index.js', (port) => ({
    args: [
      ...['--stdio', direct().join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
      ...['--port', `${port}`, '--logLevel', 'none'],
    ],
    address: { kind: 'http', tool: 'echo', url: `http://127.0.0.1:${port}/mcp` },
  })),
]

let ports = 0

function rival(name: SubjectName, file: string, serve: (port: number, home: string) => Served): Subject {
  const installed = fileURLToPath(new URL(`../../../bench/node_modules/${name}/${file}`, import.meta.url))
  const start = async (scene: Scene) => {
    if (!existsSync(installed)) throw new Error('not installed: npm ci --prefix scripts/bench')
    const home = join(scene.directory, name)
    mkdirSync(home)
    const { args, address } = serve((await quietPort()) + ports++, home)
    const env = { ...scene.environment, HOME: home, NODE_ENV: 'production' }
    const program: ProgramCommand = { command: process.execPath, args: [installed, ...args], env }
    const opening: Opening = { era: 'legacy', program, ...address }
    const client = await scene.client(opening)
    return { client, hub: client.program!, processes: [client.program!] }
  }
  return { name, title: name, way: 'both', start }
}
