import {
  agentsWithoutTokens,
  changeTokens,
  fileTokensMax,
  hasEnded,
  loadLocalToken,
  nameProblem,
  newToken,
  readTokens,
  type ShownAgent,
  StartError,
  TokenFileError,
  type TokenRecord,
} from '@callboard/hub'
import { didYouMean } from '@callboard/protocol/nearest-name'
import { readEnvironment } from '../environment.js'
import { readHubStatus } from '../hub-link/hub-status.js'
import { requireOwnDirectory, runtimeFiles } from '../hub-link/runtime-files.js'
import { loadConfig } from '../load-config.js'
import { complain, print, printJson } from '../output.js'
import { tableOf } from '../table.js'
import { UsageError } from '../usage-error.js'

export interface TokenNewOptions {
  readonly group?: string
  readonly role?: 'agent' | 'operator'
  /** Ms from now. */
  readonly expires?: number
  readonly json?: boolean
}

type Agents = Readonly<Record<string, ShownAgent>>
/** What a token's agent is, which the config says before the token. */
type Standing = Pick<TokenRecord, 'roles' | 'group'>

export async function runTokenNew(name: string, options: TokenNewOptions): Promise<void> {
  const { dataDirectory, agents } = await installation()
  requireName(name, agents)
  const made: { token: string; record: TokenRecord }[] = []
  await explaining(
    changeTokens(dataDirectory, (tokens) => {
      if (tokens.length >= fileTokensMax) {
        throw new UsageError(
          `There are ${fileTokensMax} tokens with those that have ended, and no more fit: "callboard token forget" removes the latter.`,
        )
      }
      const standing = standingOf(name, options, tokens, agents)
      const { token, ...own } = newToken(tokens)
      const createdAt = Date.now()
      const expiresAt = options.expires === undefined ? {} : { expiresAt: createdAt + options.expires }
      const record = { ...own, name, ...standing, createdAt, ...expiresAt }
      made.push({ token, record })
      return [...tokens, record]
    }),
  )
  const { token, record } = made[0]!
  if (options.json) return printJson({ token, ...described(record, agents) })
  print(token)
  const { expiresAt } = record
  const end = expiresAt === undefined ? 'until it is revoked' : `until ${new Date(expiresAt).toISOString()}`
  complain(`This is token ${record.id} of agent ${name}, good ${end}. It is shown this once.`)
}

export async function runTokenList({ json }: { readonly json?: boolean }): Promise<void> {
  const { dataDirectory, agents } = await installation()
  const tokens = await explaining(readTokens(dataDirectory))
  const listed = tokens.map((token) => described(token, agents))
  if (json) return printJson(listed)
  if (listed.length === 0) return print('There are no tokens: make one with "callboard token new NAME".')
  const rows = listed.map(({ id, name, roles, group, createdAt, ...life }) => [
    id,
    name,
    roles.join(','),
    group ?? '-',
    new Date(createdAt).toISOString(),
    endOf(life),
  ])
  print(tableOf('ID NAME ROLES GROUP CREATED EXPIRES', rows).join('\n'))
}

/** Its agent goes on needing a token: to take one away must not let anybody in. */
export async function runTokenRevoke(which: string): Promise<void> {
  const { dataDirectory } = readEnvironment()
  const revoked: TokenRecord[] = []
  await explaining(
    changeTokens(dataDirectory, (tokens) => {
      revoked.push(...named(which, tokens).filter(({ revokedAt }) => revokedAt === undefined))
      if (revoked.length === 0)
        throw new UsageError(`What is named ${which} is revoked already: "callboard token forget ${which}" removes it.`)
      const revokedAt = Date.now()
      return tokens.map((token) => (revoked.includes(token) ? { ...token, revokedAt } : token))
    }),
  )
  for (const { id, name } of revoked) print(`Revoked ${id} of agent ${name}.`)
}

/** The agent of the config whose last token this was is anybody's from then on who says its name. */
export async function runTokenForget(which: string): Promise<void> {
  const { dataDirectory, agents } = await installation()
  const forgotten: TokenRecord[] = []
  let left: readonly TokenRecord[] = []
  await explaining(
    changeTokens(dataDirectory, (tokens) => {
      const now = Date.now()
      forgotten.push(...named(which, tokens).filter((token) => hasEnded(token, now)))
      if (forgotten.length === 0)
        throw new UsageError(`What is named ${which} is still good: "callboard token revoke ${which}" ends it first.`)
      left = tokens.filter((token) => !forgotten.includes(token))
      return left
    }),
  )
  for (const { id, name } of forgotten) print(`Forgot ${id} of agent ${name}.`)
  const { name } = forgotten[0]!
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined
  const isOpen = agent !== undefined && !agent.hasToken && !agent.roles.includes('operator')
  if (isOpen && left.every((token) => token.name !== name)) {
    complain(`Agent ${name} has no token now: "callboard stdio --as ${name}" needs none any more.`)
  }
}

export async function runTokenShow(): Promise<void> {
  print(await explaining(loadLocalToken(readEnvironment().dataDirectory)))
}

/** What the agents of the config are a running hub knows best, which may have another config than this terminal. */
async function installation(): Promise<{ readonly dataDirectory: string; readonly agents: Agents }> {
  const environment = readEnvironment()
  const { dataDirectory, runtimeDirectory } = environment
  requireOwnDirectory(runtimeDirectory)
  const status = await readHubStatus(runtimeFiles(runtimeDirectory).mcpSocket)
  const agents = status?.hub.agents ?? agentsWithoutTokens((await loadConfig(environment)).agents)
  return { dataDirectory, agents }
}

/** By id, or all of an agent. @throws UsageError when there are none */
function named(which: string, tokens: readonly TokenRecord[]): readonly TokenRecord[] {
  const found = tokens.filter(({ id, name }) => id === which || name === which)
  if (found.length === 0) throw noSuchToken(which, tokens)
  return found
}

/** @throws UsageError for a file or a directory that its owner has to mend. */
async function explaining<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof TokenFileError || error instanceof StartError) throw new UsageError(error.message)
    throw error
  }
}

/** @throws UsageError */
function requireName(name: string, agents: Agents): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw new UsageError(`${JSON.stringify(name)} ${problem}.`)
  if (name === 'main' && !Object.hasOwn(agents, name)) {
    throw new UsageError(
      'main is every local agent that says no name: "callboard token show" prints the token for that.',
    )
  }
}

/** All tokens of an agent that are not revoked stand for the same. @throws UsageError */
function standingOf(name: string, options: TokenNewOptions, tokens: readonly TokenRecord[], agents: Agents): Standing {
  const { group, role } = options
  const isSaid = group !== undefined || role !== undefined
  if (Object.hasOwn(agents, name)) {
    if (!isSaid) return { roles: ['agent'] }
    throw new UsageError(
      `The config names agent ${name}, and its group and roles: leave out --group and --role, or change the config.`,
    )
  }
  if (group !== undefined && (group === '' || group.length > 64))
    throw new UsageError('--group must have 1 to 64 characters.')
  const roles = role === 'operator' ? (['agent', 'operator'] as const) : (['agent'] as const)
  const wanted: Standing = { roles, ...(group !== undefined && { group }) }
  const other = tokens.find((token) => token.name === name && token.revokedAt === undefined)
  if (other === undefined) return wanted
  const same: Standing = { roles: other.roles, ...(other.group !== undefined && { group: other.group }) }
  const isSame = same.group === group && same.roles.includes('operator') === (role === 'operator')
  if (!isSaid || isSame) return same
  throw new UsageError(
    `Agent ${name} has a token with another group or role: revoke that first, or leave out --group and --role.`,
  )
}

function described(token: TokenRecord, agents: Agents) {
  const { id, name, createdAt, expiresAt, revokedAt } = token
  const { roles, group } = Object.hasOwn(agents, name) ? agents[name]! : token
  return {
    id,
    name,
    roles,
    ...(group !== undefined && { group }),
    createdAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(revokedAt !== undefined && { revokedAt }),
    hasEnded: hasEnded(token, Date.now()),
  }
}

interface TokenLife extends Pick<TokenRecord, 'expiresAt' | 'revokedAt'> {
  readonly hasEnded: boolean
}

function endOf({ expiresAt, revokedAt, hasEnded }: TokenLife): string {
  if (revokedAt !== undefined) return `revoked ${new Date(revokedAt).toISOString()}`
  return expiresAt === undefined ? 'never' : `${new Date(expiresAt).toISOString()}${hasEnded ? ' (over)' : ''}`
}

function noSuchToken(which: string, tokens: readonly TokenRecord[]): UsageError {
  const hint = didYouMean(which, [...new Set(tokens.flatMap(({ id, name }) => [id, name]))])
  return new UsageError(`There is no token ${JSON.stringify(which)}${hint}: "callboard token list" lists them all.`)
}
