import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

export type Variables = Readonly<Record<string, string | undefined>>

/** What the command line takes from its surroundings. */
export interface Environment {
  /** Everything, for the hub's configuration and for child processes. */
  readonly variables: Variables
  readonly runtimeDirectory: string
  readonly dataDirectory: string
  /** The config file that was named; it must exist. Absent: the one in the data directory, if there is one. */
  readonly configFile: string | undefined
  readonly token: string | undefined
  readonly databaseUrl: string | undefined
  /** Where the hub answers MCP over HTTP; `up` tells its workers. */
  readonly hubUrl: string | undefined
  /** What a worker writes as long as it is well. */
  readonly healthFile: string | undefined
  /** Whether standard input is held open by a supervisor, and its end means that the supervisor is gone. */
  readonly isSupervised: boolean
}

/** The one place that reads `process.env`. Options of the command line come in as variables and win. */
export function readEnvironment(options: Variables = {}): Environment {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const variables: Variables = { ...process.env, ...Object.fromEntries(given) }
  const get = (name: string): string | undefined => variables[name] || undefined
  const session = get('XDG_RUNTIME_DIR')
  const user = process.getuid?.() ?? 0
  const config = get('CALLBOARD_CONFIG')
  return {
    variables,
    runtimeDirectory:
      get('CALLBOARD_RUNTIME') ??
      (session === undefined ? join(tmpdir(), `callboard-${user}`) : join(session, 'callboard')),
    dataDirectory:
      get('CALLBOARD_DATA') ?? join(get('XDG_DATA_HOME') ?? join(homedir(), '.local', 'share'), 'callboard'),
    configFile: config === undefined ? undefined : resolve(config),
    token: get('CALLBOARD_TOKEN'),
    databaseUrl: get('DATABASE_URL'),
    hubUrl: get('CALLBOARD_URL'),
    healthFile: get('CALLBOARD_HEALTH_FILE'),
    isSupervised: get('CALLBOARD_PARENT') === 'stdin',
  }
}

const secretNames = ['operator.secret', 'sign-in.secret', 'session.secret', 'local-token.secret', 'tokens.json']

/** Where secrets lie, beside the data directory: the operator's, a worker's own, and what a configuration may hold. */
export function secretPlaces({ variables, runtimeDirectory, configFile }: Environment): readonly string[] {
  const secret = variables['CALLBOARD_SIGN_IN_SECRET_FILE']
  // Where a hub's secret is mounted, the operator's may lie beside it.
  const files = [configFile, secret, ...(secret ? secretNames.map((name) => join(dirname(secret), name)) : [])]
  return [runtimeDirectory, ...files.flatMap((file) => (file ? [resolve(file)] : []))]
}

/** What a hub or worker that we start is told. An agent's token is its own, and one file can't speak for several workers. */
export function childVariables({ variables, configFile }: Environment, own: Variables = {}): NodeJS.ProcessEnv {
  const { CALLBOARD_TOKEN: _token, CALLBOARD_PARENT: _parent, CALLBOARD_HEALTH_FILE: _file, ...rest } = variables
  return { ...rest, ...(configFile !== undefined && { CALLBOARD_CONFIG: configFile }), ...own }
}
