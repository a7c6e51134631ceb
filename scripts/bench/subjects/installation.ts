import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { command } from '../../hub-process.js'
import type { ClientProcess } from '../client/client-process.js'
import type { Scene } from './scene.js'

/** Whether the worker has proved itself by the sign-in secret; of all others every byte is checked. */
export type Trust = 'trusted' | 'checked'

/** A hub with the echo worker, in directories of its own. The hub is on the stdio of a client, as agents start it. */
export class Installation {
  readonly environment: { readonly [name: string]: string }
  readonly client: ClientProcess
  readonly hub: number
  readonly worker: number
  readonly socket: string
  readonly url: string

  private constructor(parts: Pick<Installation, 'environment' | 'client' | 'hub' | 'worker' | 'socket' | 'url'>) {
    this.environment = parts.environment
    this.client = parts.client
    this.hub = parts.hub
    this.worker = parts.worker
    this.socket = parts.socket
    this.url = parts.url
  }

  static async start(scene: Scene, trust: Trust): Promise<Installation> {
    const environment = freshEnvironment(scene, trust)
    const program = { command: process.execPath, args: [command, 'hub', '--stdio'], env: environment }
    const client = await scene.client({ kind: 'stdio', tool: 'echo', era: 'legacy', program })
    const worker = await startWorker(scene, environment, trust, 'bench')
    const { hub, snapshot } = await statusOf(environment)
    if (snapshot.workers[0]?.trusted !== (trust === 'trusted')) throw new Error(`the worker is not ${trust}`)
    const [address] = hub.http
    return new Installation({
      environment,
      client,
      hub: client.program!,
      worker,
      socket: join(environment['CALLBOARD_RUNTIME']!, 'mcp.sock'),
      url: `http://${address!.host}:${address!.port}/mcp`,
    })
  }
}

/** For a hub of its own, and whatever shall find it. */
export function freshEnvironment(scene: Scene, name: string): { readonly [name: string]: string } {
  const home = join(scene.directory, name)
  mkdirSync(home)
  return {
    ...scene.environment,
    HOME: home,
    CALLBOARD_RUNTIME: join(home, 'run'),
    CALLBOARD_DATA: join(home, 'data'),
    CALLBOARD_HTTP: '127.0.0.1:0',
    CALLBOARD_HTTP_OPEN: '*',
    CALLBOARD_LOG_LEVEL: 'error',
  }
}

/** Resolves with its process when the hub has welcomed it. */
export async function startWorker(
  scene: Scene,
  environment: { readonly [name: string]: string },
  trust: Trust,
  service: string,
  tool = 'echo',
): Promise<number> {
  const secret = { CALLBOARD_SIGN_IN_SECRET_FILE: join(environment['CALLBOARD_DATA']!, 'sign-in.secret') }
  const env = trust === 'trusted' ? { ...environment, ...secret } : environment
  const { pid } = await scene.program('echo-worker', [service, tool], env)
  return pid
}

interface Status {
  readonly hub: { readonly pid: number; readonly http: readonly { readonly host: string; readonly port: number }[] }
  readonly snapshot: { readonly workers: readonly { readonly trusted: boolean }[] }
}

export async function statusOf(env: { readonly [name: string]: string }): Promise<Status> {
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'ls', '--json'], { env, timeout: 20_000 })
  return JSON.parse(stdout) as Status
}
