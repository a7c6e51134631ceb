import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { command } from '../../hub-process.js'
import type { ClientProcess } from '../client/client-process.js'
import { environmentsFor, type Variables } from './installation-environments.js'
import { type InstallationKind, installationKinds } from './installation-kind.js'
import type { Scene } from './scene.js'

/** A hub with the echo worker, in directories of its own. The hub is on the stdio of a client, as agents start it. */
export class Installation {
  readonly environment: Variables
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

  static async start(scene: Scene, kind: InstallationKind): Promise<Installation> {
    const parts = installationKinds[kind]
    const environments = await environmentsFor(scene, kind, service)
    const environment = environments.hub
    const program = { command: process.execPath, args: [command, 'hub', '--stdio'], env: environment }
    const client = await scene.client({ kind: 'stdio', tool: 'echo', era: 'legacy', program })
    const worker = await startWorker(scene, environments.worker, service)
    const { hub, snapshot } = await statusOf(environment)
    const [{ trusted, key } = {}] = snapshot.workers
    if (trusted !== (parts.proof !== 'none') || key !== (parts.proof === 'key' ? service : undefined))
      throw new Error(`the worker is not what ${kind} wants`)
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

/** The worker's: its key has this name as well. */
const service = 'bench'

/** Resolves with its process when the hub has welcomed it. */
export async function startWorker(scene: Scene, environment: Variables, name: string, tool = 'echo'): Promise<number> {
  const { pid } = await scene.program('echo-worker', [name, tool], environment)
  return pid
}

interface Status {
  readonly hub: { readonly pid: number; readonly http: readonly { readonly host: string; readonly port: number }[] }
  readonly snapshot: { readonly workers: readonly { readonly trusted: boolean; readonly key?: string }[] }
}

export async function statusOf(env: Variables): Promise<Status> {
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'ls', '--json'], { env, timeout: 20_000 })
  return JSON.parse(stdout) as Status
}
