import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { agentRoles, groupName, nameProblem } from './agent-names.js'
import { type AuditConfig, readAudit } from './audit/audit-config.js'
import {
  type CatalogueConfig,
  type CatalogueSettings,
  catalogueFields,
  filterFields,
  roleFields,
} from './catalogue-config.js'
import { isObject, oneOf, type Report, readFields, shown } from './config-fields.js'
import { localUsers } from './keys/local-users.js'
import { workerEndpoints } from './keys/worker-endpoints.js'
import { type OAuthConfig, readOAuth } from './oauth-config.js'

/** Every problem of a configuration at once, each a sentence that names the key or variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  /** What is left of it, with the default in place of what can't be used: others may have something to say about that. */
  readonly usable: HubConfig

  constructor(problems: readonly string[], usable: HubConfig) {
    super(problems.join('\n'))
    this.problems = problems
    this.usable = usable
  }
}

export interface AgentConfig {
  readonly token?: string | undefined
  readonly group?: string | undefined
  readonly roles: readonly ('agent' | 'operator')[]
  readonly catalogue?: CatalogueSettings | undefined
}

export interface HttpConfig {
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  /** Told to use that port: a hub that can't have it doesn't start. */
  readonly required: boolean
  /** Where agents reach the hub through a reverse proxy: scheme and authority, without a slash at the end. */
  readonly publicUrl?: string
  /** Who may read the metrics: whoever shows a token, or everybody who gets here; absent: `token`. */
  readonly metrics?: (typeof metricsAudiences)[number]
  /** Origins whose pages may use the hub, as browsers send them. */
  readonly origins: readonly string[]
  /** The authorization server whose tokens are good beside ours. */
  readonly oauth?: OAuthConfig
}

/** The hub's configuration, complete and checked. */
export interface HubConfig {
  readonly runtimeDirectory: string
  readonly dataDirectory: string
  /** Where the sign-in secret is, when workers may read that and not the data directory. */
  readonly signInSecretFile?: string
  /** Where workers on other machines come in by key: `tcp://…` each; none: nowhere. */
  readonly listen: readonly string[]
  /** Users beside the hub's own and root whose processes may be workers on this machine. */
  readonly localUsers: readonly number[]
  /** The keys that may, when they are not in the data directory. */
  readonly authorizedWorkersFile?: string
  /** Where the policy is said to be; absent: `policy.json` in the data directory, if that is there. */
  readonly policyFile?: string
  readonly http: 'off' | HttpConfig
  /** Services that HTTP offers without a token; `*`: all; none: HTTP needs a token. */
  readonly httpOpen: readonly string[]
  /** Workers that come along with `up`. */
  readonly workers: readonly string[] | undefined
  readonly namespace: 'never' | 'always'
  /** Definitions are in force only when an operator has accepted them; absent: all are. */
  readonly pinning?: 'on'
  /** What agents get into their context. */
  readonly catalogue: CatalogueConfig
  readonly agents: Readonly<Record<string, AgentConfig>>
  readonly logLevel: LogLevel
  /** Absent: calls leave no line. */
  readonly audit?: AuditConfig
  /** The workers' own sections, unread. */
  readonly sections: Readonly<Record<string, unknown>>
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const pinningSettings = ['on', 'off'] as const
const metricsAudiences = ['token', 'open'] as const

const namePattern = /^[a-z][a-z0-9-]{0,31}$/
const nameRule = 'a name has a-z, 0-9 and -, a letter first, 32 characters at most'
/** In `CALLBOARD_HTTP_OPEN`, where an empty text says nothing: HTTP needs a token. */
const noService = 'none'
const noName = (value: unknown): string => `${shown(value)} is no name: ${nameRule}`

const text = z.string('must be text')
const name = z
  .string({ error: ({ input }) => noName(input) })
  .regex(namePattern, { error: ({ input }) => noName(input) })
/** Whoever writes the variable's word here means that nothing is open, and not a service of that name. */
const openName = name.refine(
  (value) => value !== noService,
  `${shown('none')} is a word of CALLBOARD_HTTP_OPEN: say []`,
)
const choice = <const T extends readonly string[]>(values: T) => z.enum(values, `must be ${oneOf(values)}`)
const listLike = (example: string): string => `must be a list, like ["${example}"]`

const object = z.record(z.string(), z.unknown(), 'must be an object, like {"mode": "search"}')

const agentFields = {
  token: text.min(16, 'must have at least 16 characters').max(256, 'must have at most 256 characters'),
  group: groupName,
  roles: agentRoles,
  catalogue: object,
}

const originRule = (value: unknown): string =>
  `${shown(value)} is no origin: scheme and host as browsers send them, like "https://app.example" or "http://localhost:3000"`
const publicUrlRule = (value: unknown): string =>
  `${shown(value)} must be an http or https URL without path, query or user, like "https://callboard.example"`

const origin = z
  .string({ error: ({ input }) => originRule(input) })
  .refine(isOrigin, { error: ({ input }) => originRule(input) })

const httpFields = {
  listen: text,
  open: z.array(z.literal('*').or(openName), listLike('qda')),
  origins: z.array(origin, listLike('https://app.example')).max(64, 'must have at most 64 entries'),
  publicUrl: z
    .string({ error: ({ input }) => publicUrlRule(input) })
    .refine((value) => httpOriginOf(value) !== undefined, { error: ({ input }) => publicUrlRule(input) })
    .transform((value) => httpOriginOf(value)!),
  metrics: choice(metricsAudiences),
  oauth: z.record(z.string(), z.unknown(), 'must be an object, like {"issuer": "https://login.example.org"}'),
}

const off: ReturnType<typeof readFields<typeof httpFields>> = { listen: 'off' }

const fileFields = {
  listen: text,
  http: z.literal('off').or(object),
  workers: z.array(name, listLike('kernel')),
  namespace: choice(['never', 'always']),
  pinning: choice(pinningSettings),
  catalogue: object,
  agents: z.record(z.string(), z.unknown(), 'must be an object, like {"ada": {}}'),
  logLevel: choice(logLevels),
  audit: z.unknown(),
  policy: text,
}

/** Sections that belong to a worker: passed on to it, unread. */
const workerSections = ['kernel', 'scheduler', 'forum', 'social', 'qda']

export interface ConfigInput {
  /** The parsed config file, when there is one. */
  readonly file?: unknown
  readonly fileName?: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where nobody says otherwise; default `info`. */
  readonly logLevelDefault?: LogLevel
}

/** @throws ConfigError */
export function parseHubConfig(input: ConfigInput): HubConfig {
  const problems: string[] = []
  const { fileName = 'callboard.config.json' } = input
  const file = readFile(input.file, (problem) => problems.push(`${fileName}: ${problem}.`))
  const { environment } = input
  const listen = variable(environment, 'CALLBOARD_HTTP')
  const open = variable(environment, 'CALLBOARD_HTTP_OPEN')
  const workers = variable(environment, 'CALLBOARD_WORKERS')
  const secretFile = variable(environment, 'CALLBOARD_SIGN_IN_SECRET_FILE')
  const signInSecretFile =
    secretFile === undefined ? undefined : absolute(secretFile, 'CALLBOARD_SIGN_IN_SECRET_FILE', problems)
  const keysFile = variable(environment, 'CALLBOARD_AUTHORIZED_WORKERS')
  const authorizedWorkersFile =
    keysFile === undefined ? undefined : absolute(keysFile, 'CALLBOARD_AUTHORIZED_WORKERS', problems)
  const auditing = { value: file.audit, variable: variable(environment, 'CALLBOARD_AUDIT'), environment }
  const audit = readAudit({ ...auditing, dataDirectory: dataDirectory(environment) }, fileName, problems)
  const policyFile = policy(environment, file.policy, fileName, problems)
  const config: HubConfig = {
    runtimeDirectory: runtimeDirectory(environment, problems),
    dataDirectory: dataDirectory(environment, problems),
    ...(signInSecretFile === undefined ? {} : { signInSecretFile }),
    listen: workerEndpoints(variable(environment, 'CALLBOARD_LISTEN') ?? file.workerListen, problems),
    localUsers: localUsers(variable(environment, 'CALLBOARD_WORKER_USERS'), problems),
    ...(authorizedWorkersFile === undefined ? {} : { authorizedWorkersFile }),
    ...(policyFile === undefined ? {} : { policyFile }),
    http: http({ ...file, metrics: metrics(environment, problems) ?? file.metrics }, listen, fileName, problems),
    httpOpen:
      open === undefined ? (file.open ?? (file.oauth === undefined ? ['qda'] : [])) : openServices(open, problems),
    workers: workers === undefined ? file.workers : names(workers, 'CALLBOARD_WORKERS', problems, false),
    namespace: file.namespace ?? 'never',
    ...((pinning(environment, problems) ?? file.pinning) === 'on' && { pinning: 'on' }),
    catalogue: file.catalogue,
    agents: file.agents,
    logLevel: logLevel(
      variable(environment, 'CALLBOARD_LOG_LEVEL') ?? file.logLevel ?? input.logLevelDefault ?? 'info',
      problems,
    ),
    ...(audit === undefined ? {} : { audit }),
    sections: file.sections,
  }
  if (problems.length > 0) throw new ConfigError(problems, config)
  return config
}

interface FileContent {
  /** `listen`, unread. */
  readonly workerListen?: string | undefined
  /** `off`, or `http.listen`, unread. */
  readonly listen?: string | undefined
  readonly open?: readonly string[] | undefined
  readonly origins?: readonly string[] | undefined
  readonly publicUrl?: string | undefined
  readonly metrics?: HttpConfig['metrics'] | undefined
  readonly oauth?: OAuthConfig | undefined
  readonly workers?: readonly string[] | undefined
  readonly namespace?: HubConfig['namespace'] | undefined
  readonly pinning?: (typeof pinningSettings)[number] | undefined
  readonly audit?: unknown
  readonly catalogue: CatalogueConfig
  readonly agents: HubConfig['agents']
  readonly logLevel?: LogLevel | undefined
  readonly policy?: string | undefined
  readonly sections: HubConfig['sections']
}

/** Each key by itself: what is wrong with one hides nothing of another. */
function readFile(file: unknown, report: Report): FileContent {
  const nothing = { catalogue: { roles: {} }, agents: {}, sections: {} }
  if (file === undefined) return nothing
  if (!isObject(file)) {
    report('must be a JSON object')
    return nothing
  }
  const {
    http,
    listen: workerListen,
    agents: agentSections = {},
    catalogue = {},
    ...others
  } = readFields(file, fileFields, '', report, workerSections)
  const sections = Object.fromEntries(Object.entries(file).filter(([key]) => workerSections.includes(key)))
  const { oauth, ...listening } = http === 'off' ? off : readFields(http ?? {}, httpFields, 'http', report)
  const settings = readCatalogue(catalogue, report)
  const agents = readAgents(agentSections, report)
  return {
    ...others,
    workerListen,
    ...listening,
    oauth: oauth && readOAuth(oauth, listening.publicUrl, Object.keys(agents), report),
    catalogue: settings,
    agents,
    sections,
  }
}

function readCatalogue({ roles = {}, ...settings }: Record<string, unknown>, report: Report): CatalogueConfig {
  const where = 'catalogue'
  const everybody = readSettings(settings, where, report)
  const { roles: given } = readFields({ roles }, { roles: object }, where, report)
  const byRole = readFields(given ?? {}, roleFields, `${where}.roles`, report)
  const found = Object.entries(byRole).map(([role, own]) => [role, readSettings(own, `${where}.roles.${role}`, report)])
  return { ...everybody, roles: Object.fromEntries(found) }
}

function readSettings(value: object, where: string, report: Report): CatalogueSettings {
  const { tools, ...settings } = readFields(value, catalogueFields, where, report)
  return tools === undefined
    ? settings
    : { ...settings, tools: readFields(tools, filterFields, `${where}.tools`, report) }
}

function readAgents(agents: Readonly<Record<string, unknown>>, report: Report): Record<string, AgentConfig> {
  const found: [string, AgentConfig][] = []
  for (const [key, value] of Object.entries(agents)) {
    const wrongName = nameProblem(key)
    if (wrongName !== undefined) report(`agents: ${shown(key)} ${wrongName}`)
    const where = `agents.${key}`
    if (!isObject(value)) {
      report(`${where}: must be an object, like {"group": "lab"}`)
      continue
    }
    const { roles = ['agent'], catalogue, ...agent } = readFields(value, agentFields, where, report)
    const settings = catalogue && { catalogue: readSettings(catalogue, `${where}.catalogue`, report) }
    const twin = found.find(([, { token }]) => token !== undefined && token === agent.token)
    if (twin !== undefined) report(`${where}.token: is that of ${twin[0]} too, and a token says who bears it`)
    found.push([key, { ...agent, roles, ...settings }])
  }
  return Object.fromEntries(found)
}

/** An empty variable is an unset one. */
function variable(environment: ConfigInput['environment'], key: string): string | undefined {
  const value = environment[key]
  return value === undefined || value === '' ? undefined : value
}

export function runtimeDirectory(environment: ConfigInput['environment'], problems: string[] = []): string {
  const own = variable(environment, 'CALLBOARD_RUNTIME')
  if (own !== undefined) return absolute(own, 'CALLBOARD_RUNTIME', problems)
  const session = variable(environment, 'XDG_RUNTIME_DIR')
  return session === undefined ? join(tmpdir(), `callboard-${process.getuid?.() ?? 0}`) : join(session, 'callboard')
}

export function dataDirectory(environment: ConfigInput['environment'], problems: string[] = []): string {
  const own = variable(environment, 'CALLBOARD_DATA')
  if (own !== undefined) return absolute(own, 'CALLBOARD_DATA', problems)
  const home = variable(environment, 'XDG_DATA_HOME') ?? join(homedir(), '.local', 'share')
  return join(home, 'callboard')
}

function absolute(path: string, key: string, problems: string[]): string {
  if (!isAbsolute(path)) problems.push(`${key}: ${path} must be an absolute path.`)
  return path
}

function policy(
  environment: ConfigInput['environment'],
  named: string | undefined,
  fileName: string,
  problems: string[],
): string | undefined {
  const own = variable(environment, 'CALLBOARD_POLICY')
  if (own !== undefined) return absolute(own, 'CALLBOARD_POLICY', problems)
  return named === undefined ? undefined : absolute(named, `${fileName}: policy`, problems)
}

const portDefault = 8765

function http(
  { listen, origins = [], publicUrl, metrics, oauth }: FileContent,
  variable: string | undefined,
  fileName: string,
  problems: string[],
): HubConfig['http'] {
  const key = variable === undefined ? `${fileName}: http.listen` : 'CALLBOARD_HTTP'
  const listening = listeningOn(variable ?? listen, key, problems)
  if (listening === 'off') return 'off'
  return {
    ...listening,
    origins,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(metrics !== undefined && { metrics }),
    ...(oauth !== undefined && { oauth }),
  }
}

function metrics(environment: ConfigInput['environment'], problems: string[]): HttpConfig['metrics'] {
  const key = 'CALLBOARD_HTTP_METRICS'
  const given = variable(environment, key)
  const known = metricsAudiences.find((each) => each === given)
  if (given !== undefined && known === undefined) problems.push(`${key}: ${given} must be ${oneOf(metricsAudiences)}.`)
  return known
}

/** Without a clear word of it nothing may come into force that was meant to be held: a slip of the pen ends the start. */
function pinning(environment: ConfigInput['environment'], problems: string[]): FileContent['pinning'] {
  const key = 'CALLBOARD_PINNING'
  const given = variable(environment, key)
  const known = pinningSettings.find((each) => each === given)
  if (given !== undefined && known === undefined) problems.push(`${key}: ${given} must be ${oneOf(pinningSettings)}.`)
  return known
}

function listeningOn(
  listen: string | undefined,
  key: string,
  problems: string[],
): 'off' | Pick<HttpConfig, 'addresses' | 'required'> {
  if (listen === 'off') return 'off'
  if (listen === undefined) {
    const addresses = ['127.0.0.1', '::1'].map((host) => ({ host, port: portDefault }))
    return { addresses, required: false }
  }
  const match = /^(?:\[([0-9a-f:]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(listen)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || port > 65_535) {
    problems.push(`${key}: ${listen} must be host:port (for IPv6 [::1]:8765), or off.`)
    return 'off'
  }
  if (!isLoopback(host)) {
    problems.push(`${key}: ${host} is not a loopback address; put a reverse proxy in front to serve other machines.`)
    return 'off'
  }
  const hosts = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
  return { addresses: hosts.map((each) => ({ host: each, port })), required: true }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)

/** The origin of an http or https URL that says nothing else. */
function httpOriginOf(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined
  const { protocol, username, password, pathname, search, hash, origin } = new URL(value)
  const isBare = pathname === '/' && username + password + search + hash === '' && !/[?#]/.test(value)
  return isBare && (protocol === 'http:' || protocol === 'https:') ? origin : undefined
}

/** Browsers compare origins by their text; so do we, and whatever would never match is an error. */
function isOrigin(value: string): boolean {
  if (httpOriginOf(value) === value) return true
  // Desktop programs and browser extensions have schemes of their own.
  return /^(?!https?:|file:|data:|null)[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+$/.test(value)
}

function openServices(list: string, problems: string[]): string[] {
  const found = names(list, 'CALLBOARD_HTTP_OPEN', problems, true)
  if (!found.includes(noService)) return found
  if (found.length > 1) problems.push('CALLBOARD_HTTP_OPEN: none stands alone: with it no service is open.')
  return []
}

function names(list: string, key: string, problems: string[], starAllowed: boolean): string[] {
  const found = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const isName = (entry: string) => namePattern.test(entry) || (starAllowed && entry === '*')
  for (const entry of found) if (!isName(entry)) problems.push(`${key}: ${noName(entry)}.`)
  return found.filter(isName)
}

function logLevel(level: string, problems: string[]): LogLevel {
  const known = logLevels.find((each) => each === level)
  if (known === undefined) problems.push(`CALLBOARD_LOG_LEVEL: ${level} must be ${oneOf(logLevels)}.`)
  return known ?? 'info'
}
