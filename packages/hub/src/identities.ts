import { createHmac } from 'node:crypto'
import type { AgentConfig } from './config.js'
import type { Identity } from './port.js'
import { operatorSecretName } from './secrets.js'
import { TokenFileError, type TokenRecord, tokenHash, tokenPrefix } from './token-file.js'

export interface IdentitiesOptions {
  readonly agents: Readonly<Record<string, AgentConfig>>
  readonly operatorSecret: string
  readonly sessionSecret: string
  /** Stands for what a local agent without a token is. */
  readonly localToken: string
  /** Services that HTTP offers without a token; `*`: all; none: HTTP needs a token. */
  readonly httpOpen: readonly string[]
  /** The token file. What it throws is a {@link TokenFileError}. */
  readonly tokens: {
    find(hash: string): TokenRecord | undefined
    hasTokens(name: string): boolean
  }
  /** Who bears a token that a worker minted. */
  readonly findRun: (token: string) => Identity | undefined
}

export interface Refused {
  readonly error: { readonly code: RefusalCode; readonly message: string }
}

/** `unavailable`: the hub can't tell for now, because its token file is broken. */
export type RefusalCode = 'unauthorized' | 'forbidden' | 'unknown_agent' | 'unavailable'

/** Who somebody is; which session it is in depends on the connection. */
export type Who = Omit<Identity, 'session'>

/** Of one caller, whose identity in it need not be made anew: as many legacy sessions as one may have, and more. */
const knownSessionsMax = 1_024

/** Says who is at the other end of a connection, from what it presents: never from an argument of a call. */
export class Identities {
  readonly #options: IdentitiesOptions
  /** What does not change while the hub runs. By hash, so that the time of a search tells nothing of a secret. */
  readonly #fixed: ReadonlyMap<string, Who>
  /** Whoever sends a request without a token. */
  readonly #anyone: Who
  /** What was said before: every HTTP request asks again. */
  readonly #bearers = new WeakMap<TokenRecord, Who>()
  readonly #inSessions = new WeakMap<Who, Map<string, Identity>>()

  constructor(options: IdentitiesOptions) {
    this.#options = options
    const { agents, operatorSecret, localToken, httpOpen } = options
    const services = httpOpen.includes('*') ? {} : { services: httpOpen }
    this.#anyone = { ...httpStranger, ...services }
    const owned = Object.entries(agents).flatMap(([name, agent]) =>
      agent.token === undefined ? [] : [[tokenHash(agent.token), agentOf(name, agent)] as const],
    )
    this.#fixed = new Map([...owned, [tokenHash(localToken), this.#nameless], [tokenHash(operatorSecret), operator]])
  }

  /** A connection on `mcp.sock` or stdio. The session is stable: the same agent with the same key is the same session. */
  attach(attach: { readonly as?: string; readonly token?: string; readonly key: string }): Identity | Refused {
    try {
      const who = this.#whoIs(attach.as, attach.token)
      if ('error' in who || isRun(who)) return who
      return this.inSession(who, attach.key)
    } catch (error) {
      if (error instanceof TokenFileError) return refused('unavailable', error.message)
      throw error
    }
  }

  /** An HTTP request: a bearer token, or nobody in particular with what `http.open` offers. */
  http(token: string | undefined, sessionKey: string | undefined): Identity | Refused {
    if (token === undefined) return this.#anybody(sessionKey)
    const hash = tokenHash(token)
    try {
      const who = this.#byToken(token, hash)
      if (who === undefined) return refused('unauthorized', 'This token is not known here, or has ended.')
      return isRun(who) ? who : this.inSession(who, sessionKey ?? hash)
    } catch (error) {
      if (!(error instanceof TokenFileError)) throw error
      return refused('unavailable', 'The hub can’t read its token file: "callboard doctor" says why.')
    }
  }

  /** The agent of the config with this name. */
  configured(name: string): Who | undefined {
    const { agents } = this.#options
    return Object.hasOwn(agents, name) ? agentOf(name, agents[name]!) : undefined
  }

  /** The same principal with the same key is always in the same session. */
  inSession(who: Who, key: string): Identity {
    const known = this.#sessionsOf(who)
    const found = known.get(key)
    if (found !== undefined) return found
    const session = createHmac('sha256', this.#options.sessionSecret).update(`${who.principal}\n${key}`)
    const identity = { ...who, session: session.digest('base64url') }
    if (known.size >= knownSessionsMax) known.clear()
    known.set(key, identity)
    return identity
  }

  #sessionsOf(who: Who): Map<string, Identity> {
    const known = this.#inSessions.get(who) ?? new Map<string, Identity>()
    this.#inSessions.set(who, known)
    return known
  }

  isOperator(token: string): boolean {
    return this.#fixed.get(tokenHash(token)) === operator
  }

  get #nameless(): Who {
    return Object.keys(this.#options.agents).length === 0 ? main : anonymous
  }

  #anybody(sessionKey: string | undefined): Identity | Refused {
    if (this.#options.httpOpen.length === 0) return refused('unauthorized', 'HTTP needs a bearer token here.')
    return this.inSession(this.#anyone, sessionKey ?? '')
  }

  #whoIs(as: string | undefined, token: string | undefined): Who | Identity | Refused {
    if (as === 'operator') {
      if (token !== undefined && this.isOperator(token)) return operator
      return refused(
        'forbidden',
        `Acting as operator needs the operator secret: set CALLBOARD_TOKEN to what ${operatorSecretName} in the hub’s data directory holds.`,
      )
    }
    if (as !== undefined) return this.#named(as, token)
    if (token === undefined) return this.#nameless
    const who = this.#byToken(token, tokenHash(token))
    return (
      who ?? refused('unauthorized', 'CALLBOARD_TOKEN is not known to this hub, or has ended: unset it or renew it.')
    )
  }

  /** A token of somebody else is refused, also where none is needed: whoever shows one does not mean to do without. */
  #named(name: string, token: string | undefined): Who | Identity | Refused {
    const bearer = token === undefined ? this.#nameless : this.#byToken(token, tokenHash(token))
    if (bearer?.principal === `agent:${name}`) return bearer
    const agent = this.configured(name)
    const isOwned = this.#options.tokens.hasTokens(name)
    if (agent === undefined && !isOwned && this.#nameless.principal !== `agent:${name}`) {
      return refused(
        'unknown_agent',
        `There is no agent ${name}: name it in the config under "agents", or make it a token with "callboard token new".`,
      )
    }
    // Nobody becomes an operator by a name alone.
    const needsToken = isOwned || this.#options.agents[name]?.token !== undefined || agent?.roles.includes('operator')
    // The local token stands for none.
    const isWithout = bearer === this.#nameless
    if (agent !== undefined && needsToken !== true && isWithout) return agent
    return refused('forbidden', isWithout ? needsItsToken(name) : notItsToken(name, bearer === operator))
  }

  #byToken(token: string, hash: string): Who | Identity | undefined {
    const known = this.#fixed.get(hash) ?? this.#options.findRun(token)
    // When the file is broken, what it has nothing to do with is still good.
    if (known !== undefined || !token.startsWith(tokenPrefix)) return known
    const record = this.#options.tokens.find(hash)
    if (record === undefined) return undefined
    const bearer = this.#bearers.get(record)
    if (bearer !== undefined) return bearer
    const { name, roles, group, id } = record
    const who = { ...(this.configured(name) ?? agentOf(name, { roles, group })), credential: id }
    this.#bearers.set(record, who)
    return who
  }
}

/** Whoever sends an HTTP request without a token, what is open to it aside. */
export const httpStranger: Who = { principal: 'agent:http', roles: ['agent'] }

const main: Who = { principal: 'agent:main', roles: ['agent'], group: 'main' }
const anonymous: Who = { principal: 'agent:anonymous', roles: ['agent'] }
const operator: Who = { principal: 'operator:local', roles: ['agent', 'operator'] }

function agentOf(name: string, { roles, group }: Pick<AgentConfig, 'roles' | 'group'>): Who {
  return { principal: `agent:${name}`, roles, ...(group === undefined ? {} : { group }) }
}

/** What a worker minted has its session with it. */
const isRun = (who: Who | Identity): who is Identity => 'session' in who

const needsItsToken = (name: string): string => `Agent ${name} needs its token: set CALLBOARD_TOKEN to it.`

function notItsToken(name: string, isOperators: boolean): string {
  return isOperators
    ? `CALLBOARD_TOKEN is the operator secret, and not a token of ${name}: say --as operator, or set it to a token of ${name}.`
    : `CALLBOARD_TOKEN is not a token of ${name}: set it to one, or unset it if ${name} has none.`
}

const refused = (code: RefusalCode, message: string): Refused => ({ error: { code, message } })
