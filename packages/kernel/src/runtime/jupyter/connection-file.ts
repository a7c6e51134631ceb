import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { socketPathBytesMax } from '../../limits.js'
import { claim, removeAbandoned } from './abandoned.js'

export type Transport = 'ipc' | 'tcp'

export type Channel = 'shell' | 'iopub' | 'stdin' | 'control'

/** Where a kernel is to listen, and the secret that both sign with. The kernel reads it from the file, then it is deleted. */
export class ConnectionFile implements AsyncDisposable {
  /** Of this user alone. Holds the file, the FIFOs of its output and, with `ipc`, the sockets. */
  readonly directory: string
  readonly path: string
  readonly transport: Transport
  readonly key: string
  readonly #endpoints: { readonly [channel in Channel]: string }

  private constructor(directory: string, transport: Transport, key: string, content: Content) {
    this.directory = directory
    this.path = join(directory, 'connection.json')
    this.transport = transport
    this.key = key
    // By Jupyter's convention a port is part of a socket's name with `ipc`.
    const separator = transport === 'ipc' ? '-' : ':'
    const endpoint = (port: number) => `${transport}://${content.ip}${separator}${port}`
    this.#endpoints = {
      shell: endpoint(content.shell_port),
      iopub: endpoint(content.iopub_port),
      stdin: endpoint(content.stdin_port),
      control: endpoint(content.control_port),
    }
  }

  /** With `ipc` nobody else on this machine can connect; undefined when the temporary directory's path is too long for it. */
  static async create(transport: Transport): Promise<ConnectionFile | undefined> {
    // In a sandbox no links lead there.
    const parent = await realpath(tmpdir())
    void removeAbandoned(parent, prefix)
    // 0700, as mkdtemp makes it.
    const directory = await mkdtemp(join(parent, prefix))
    try {
      await claim(directory)
      const ip = transport === 'ipc' ? join(directory, 's') : '127.0.0.1'
      if (transport === 'ipc' && Buffer.byteLength(`${ip}-5`) > socketPathBytesMax) {
        await rm(directory, { recursive: true, force: true })
        return undefined
      }
      const [shell, iopub, stdin, control, hb] = transport === 'ipc' ? [1, 2, 3, 4, 5] : await freePorts()
      const key = randomBytes(32).toString('hex')
      const content = {
        transport,
        ip,
        shell_port: shell!,
        iopub_port: iopub!,
        stdin_port: stdin!,
        control_port: control!,
        hb_port: hb!,
        key,
        signature_scheme: 'hmac-sha256',
      }
      const file = new ConnectionFile(directory, transport, key, content)
      await writeFile(file.path, JSON.stringify(content), { mode: 0o600, flag: 'wx' })
      return file
    } catch (error) {
      await rm(directory, { recursive: true, force: true })
      throw error
    }
  }

  endpoint(channel: Channel): string {
    return this.#endpoints[channel]
  }

  /** Once the kernel has started, nobody needs the key from a file. */
  async forgetKey(): Promise<void> {
    await rm(this.path, { force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true })
  }
}

const prefix = 'callboard-jupyter-'

interface Content {
  readonly ip: string
  readonly shell_port: number
  readonly iopub_port: number
  readonly stdin_port: number
  readonly control_port: number
}

/** Free now; that another program takes one before the kernel does is possible, and ends the kernel's start. */
async function freePorts(): Promise<readonly number[]> {
  const servers: Server[] = []
  try {
    for (let count = 0; count < 5; count += 1) {
      const server = createServer().listen(0, '127.0.0.1')
      servers.push(server)
      await once(server, 'listening')
    }
    return servers.map((server) => (server.address() as AddressInfo).port)
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
}
