import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quietPort } from '../../chaos/quiet-port.js'
import type { ProgramCommand } from '../client/client-messages.js'
import { programFile, type Scene } from './scene.js'
import type { Subject, SubjectName } from './subject.js'

type Address = { readonly tool: string } & (
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'sse'; readonly url: string }
)

interface Served {
  readonly args: readonly string[]
  readonly ready?: NonNullable<ProgramCommand['ready']>
  readonly address: Address
}

const direct = () => [process.execPath, programFile('direct-server')] as const

/** What else npm has to stand between an agent and the direct server, each as its own instructions have it. All speak HTTP only. */
export const rivalSubjects: readonly Subject[] = [
  rival('mcp-hub', 'SSE', 'dist/cli.js', (port, home) => {
    const config = join(home, 'servers.json')
    const [program, file] = direct()
    writeFileSync(config, JSON.stringify({ mcpServers: { direct: { command: program, args: [file] } } }))
    return {
      args: ['--port', `${port}`, '--config', config],
      ready: { url: `http://127.0.0.1:${port}/api/health`, text: '"status":"connected"' },
      address: { kind: 'sse', tool: 'direct__echo', url: `http://127.0.0.1:${port}/mcp` },
    }
  }),
  rival('mcp-proxy', 'HTTP', 'dist/bin/mcp-proxy.mjs', (port) => ({
    args: ['--port', `${port}`, '--server', 'stream', '--', ...direct()],
    address: { kind: 'http', tool: 'echo', url: `http://127.0.0.1:${port}/mcp` },
  })),
  rival('supergateway', 'HTTP', 'dist/index.js', (port) => ({
    args: [
      ...['--stdio', direct().join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
      ...['--port', `${port}`, '--logLevel', 'none'],
    ],
    address: { kind: 'http', tool: 'echo', url: `http://127.0.0.1:${port}/mcp` },
  })),
]

let ports = 0

function rival(
  name: SubjectName,
  transport: string,
  file: string,
  serve: (port: number, home: string) => Served,
): Subject {
  const program = installed(`${name}/${file}`)
  const start = async (scene: Scene) => {
    if (!existsSync(program)) throw new Error('not installed: npm ci --prefix scripts/bench')
    const home = join(scene.directory, name)
    mkdirSync(home, { recursive: true })
    const { args, ready, address } = serve((await quietPort()) + ports++, home)
    const env = { ...scene.environment, HOME: home, NODE_ENV: 'production' }
    const words = [program, ...args]
    const command: ProgramCommand = { command: process.execPath, args: words, env, ...(ready && { ready }) }
    const client = await scene.client({ era: 'legacy', program: command, ...address })
    return { client, hub: client.program!, processes: [client.program!] }
  }
  return { name, title: `${name}${versionOf(name)}, ${transport}`, way: 'both', start }
}

/** As installed, with a blank before it. */
function versionOf(name: string): string {
  const manifest = installed(`${name}/package.json`)
  return existsSync(manifest) ? ` ${JSON.parse(readFileSync(manifest, 'utf8')).version}` : ''
}

function installed(path: string): string {
  return fileURLToPath(new URL(`../../../bench/node_modules/${path}`, import.meta.url))
}
