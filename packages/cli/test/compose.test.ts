import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { binary, checkout, freePort, Installation } from './support/installation.js'

const compose = findCompose()

function findCompose(): readonly string[] | undefined {
  for (const command of [['docker-compose'], ['docker', 'compose']]) {
    try {
      execFileSync(command[0]!, [...command.slice(1), 'version'], { stdio: 'ignore' })
      return command
    } catch {
      // Not this one.
    }
  }
  return undefined
}

interface Service {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: readonly string[]
}

/** What compose makes of the file, read from the YAML that it prints: maps, and lists of words, by indentation. */
function readServices([command, ...words]: readonly string[]): Record<string, Service> {
  const yaml = execFileSync(command!, [...words, '-f', 'docker-compose.yml', 'config'], {
    cwd: checkout,
    encoding: 'utf8',
  })
  const services: Record<string, Record<string, Record<string, string> | string[]>> = {}
  let [section, service, key] = ['', '', '']
  for (const line of yaml.split('\n')) {
    const [, indent = '', dash, text = ''] = /^( *)(- )?(.*)$/.exec(line) ?? []
    const [, name = '', value = ''] = /^([^:]+):(?: (.*))?$/.exec(text) ?? []
    const isItem = dash !== undefined
    if (indent === '' && !isItem) section = name
    if (section !== 'services' || indent === '') continue
    if (indent.length === 2 && !isItem) {
      service = name
      services[service] = {}
    } else if (indent.length === 4 && !isItem) {
      key = name
      services[service]![key] = {}
    } else if (isItem && indent.length <= 6) {
      services[service]![key] = [...Object.values(services[service]![key]!), text]
    } else if (indent.length === 6) {
      Object.assign(services[service]![key]!, { [name]: value.replace(/^['"]|['"]$/g, '') })
    }
  }
  return services as unknown as Record<string, Service>
}

it.skipIf(compose === undefined)(
  `compose: every service's command runs as written, and a call works${compose === undefined ? ' (skipped: neither docker-compose nor docker compose is installed)' : ''}`,
  async () => {
    const installation = new Installation()
    const port = await freePort()
    const services = readServices(compose!)
    expect(Object.keys(services).sort()).toEqual(['forum', 'hub', 'kernel', 'qda', 'scheduler', 'social'])
    for (const { command, environment, volumes } of Object.values(services)) {
      const mounts = volumes.map((volume) => volume.split(':') as [string, string])
      const moved = Object.entries(environment).map(([name, value]) => {
        const mount = mounts.find(([, target]) => value === target || value.startsWith(`${target}/`))
        return [name, mount ? join(installation.directory, mount[0], value.slice(mount[1].length)) : value]
      })
      for (const [volume] of mounts) mkdirSync(join(installation.directory, volume), { recursive: true, mode: 0o700 })
      const variables: Record<string, string> = { ...installation.environment, ...Object.fromEntries(moved) }
      if (environment['CALLBOARD_HTTP'] !== undefined) {
        expect(environment['CALLBOARD_HTTP']).toBe('127.0.0.1:8765')
        variables['CALLBOARD_HTTP'] = `127.0.0.1:${port}`
      }
      const [program, ...words] = command
      expect(program).toBe('callboard')
      spawn(process.execPath, [binary, ...words], { env: variables, stdio: 'ignore' })
      // As depends_on has it.
      await vi.waitUntil(() => existsSync(join(installation.directory, 'runtime', 'mcp.sock')), { timeout: 10_000 })
    }
    const variables = {
      CALLBOARD_RUNTIME: join(installation.directory, 'runtime'),
      CALLBOARD_DATA: join(installation.directory, 'hub-data'),
    }
    const called = await installation.run(['call', 'weave_eval', 'code=1 + 1'], variables)
    expect(called).toEqual({ code: 0, stdout: '2\n', stderr: '' })
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).ok).toBe(true)
    expect((await installation.run(['ls'], variables)).code).toBe(0)
    const kernel = installation.find('worker kernel')
    process.kill(kernel, 'SIGTERM')
    await vi.waitFor(() => expect(installation.processes()).not.toContain(kernel), { timeout: 5_000 })
    expect((await installation.run(['down'], variables)).stdout).toMatch(/^Ended the hub/)
  },
)
