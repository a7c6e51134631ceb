import { execFileSync } from 'node:child_process'

/** What compose makes of `docker-compose.yml`: variables put in, anchors merged, files by their absolute paths. */
export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

export interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly (string | Mount)[]
  readonly secrets?: readonly (string | { readonly source: string; readonly target?: string })[]
  readonly tmpfs?: readonly string[]
  readonly networks?: Readonly<Record<string, unknown>>
  readonly network_mode?: string
  readonly ports?: readonly (string | { readonly host_ip: string; readonly target: number })[]
  readonly profiles?: readonly string[]
  readonly user?: string
  readonly init?: boolean
  readonly restart?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly cap_add?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly mem_limit?: string | number
  readonly pids_limit?: number
  readonly stop_grace_period?: string
  readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> }
  readonly healthcheck?: { readonly test: readonly string[] }
}

export interface Mount {
  readonly source: string
  readonly target: string
  readonly read_only?: boolean
}

const profiles = ['setup', 'postgres', 'http']

/** With all profiles, and `variables` in place of a file `.env`. @throws where compose is not installed or refuses the file */
export function readComposeFile(directory: string, variables: Readonly<Record<string, string>>): ComposeFile {
  const [command, ...words] = composeCommand()
  const env = { PATH: process.env['PATH'], COMPOSE_PROFILES: profiles.join(','), ...variables }
  const options = { cwd: directory, encoding: 'utf8', env } as const
  const yaml = execFileSync(command!, [...words, '-f', 'docker-compose.yml', 'config'], options)
  // Compose 1 prints YAML only, and brings this module along.
  const program = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'
  return JSON.parse(execFileSync('python3', ['-c', program], { input: yaml, encoding: 'utf8' }))
}

/** `hub-data:/var/lib/callboard:ro` or the long form. */
export function mountsOf({ volumes = [] }: Service): Mount[] {
  return volumes.map((volume) => {
    if (typeof volume !== 'string') return volume
    const [source = '', target = '', mode] = volume.split(':')
    return { source, target, read_only: mode === 'ro' }
  })
}

function composeCommand(): readonly string[] {
  for (const command of [['docker-compose'], ['docker', 'compose']]) {
    try {
      execFileSync(command[0]!, [...command.slice(1), 'version'], { stdio: 'ignore' })
      return command
    } catch {
      // Not this one.
    }
  }
  throw new Error('neither docker-compose nor docker compose is installed (Debian: apt-get install docker-compose)')
}
