import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { AgentConfig } from './config.js'
import type { Identity } from './port.js'

export interface IdentitiesOptions {
  readonly agents: Readonly<Record<string, AgentConfig>>
  readonly operatorSecret: string
  readonly sessionSecret: string
  /** Services that HTTP offers without a token; `*`: all. */
  readonly httpOpen: readonly string[]
  /** Who bears a token that a worker minted. */
  readonly findRun: (token: string) => Identity | undefined
}

export interface Refused {
  readonly error: { readonly code: string; readonly message: string }
}

/** Says who is at the other end of a connection, from what it presents: never from an argument of a call. */
export class Identities {
  readonly #options: IdentitiesOptions

  constructor(options: IdentitiesOptions) {
    this.#options = options
  }

  /** A connection on `mcp.sock` or stdio. The session is stable: the same agent with the same key is the same session. */
  attach(attach: { readonly as?: string; readonly token?: string; readonly key: string }): Identity | Refused {
    const who = this.#whoIs(attach.as, attach.token)
    if ('error' in who || who.run !== undefined) return who
    return { ...who, session: this.#session(who.principal, attach.key) }
  }

  /** An HTTP request: a bearer token, or nobody in particular with what `http.open` offers. */
  http(token: string | undefined, sessionKey: string | undefined): Identity | Refused {
    if (token === undefined) {
      const { httpOpen } = this.#options
      return {
        session: this.#session('agent:http', sessionKey ?? ''),
        principal: 'agent:http',
        roles: ['agent'],
        ...(httpOpen.includes('*') ? {} : { services: httpOpen }),
      }
    }
    const who = this.#byToken(token)
    if (who === undefined) return refused('unauthorized', 'This token is not known here, or has ended.')
    if (who.run !== undefined) return who
    return { ...who, session: this.#session(who.principal, sessionKey ?? digest(token).toString('hex')) }
  }

  isOperator(token: string): boolean {
    return isSame(token, this.#options.operatorSecret)
  }

  #whoIs(as: string | undefined, token: string | undefined): Identity | Refused {
    if (as === 'operator') {
      if (token !== undefined && isSame(token, this.#options.operatorSecret)) return operator
      return refused('forbidden', 'Acting as operator needs the operator secret: set CALLBOARD_TOKEN to it.')
    }
    if (as !== undefined) return this.#named(as, token)
    if (token !== undefined) {
      const who = this.#byToken(token)
      return (
        who ?? refused('unauthorized', 'CALLBOARD_TOKEN is not known to this hub, or has ended: unset it or renew it.')
      )
    }
    return Object.keys(this.#options.agents).length === 0 ? main : anonymous
  }

  #named(name: string, token: string | undefined): Identity | Refused {
    const { agents } = this.#options
    if (!Object.hasOwn(agents, name)) {
      if (name === 'main' && Object.keys(agents).length === 0) return main
      return refused('unknown_agent', `The config names no agent ${name}: add it under "agents".`)
    }
    const agent = agents[name]!
    if (agent.token !== undefined && (token === undefined || !isSame(token, agent.token))) {
      return refused(
        'forbidden',
        token === undefined
          ? `Agent ${name} has a token: set CALLBOARD_TOKEN to it.`
          : `CALLBOARD_TOKEN is not the token of ${name}.`,
      )
    }
    return agentIdentity(name, agent)
  }

  #byToken(token: string): Identity | undefined {
    if (isSame(token, this.#options.operatorSecret)) return operator
    for (const [name, agent] of Object.entries(this.#options.agents)) {
      if (agent.token !== undefined && isSame(token, agent.token)) return agentIdentity(name, agent)
    }
    return this.#options.findRun(token)
  }

  #session(principal: string, key: string): string {
    return createHmac('sha256', this.#options.sessionSecret).update(`${principal}\n${key}`).digest('base64url')
  }
}

const main: Identity = { session: '', principal: 'agent:main', roles: ['agent'], group: 'main' }
const anonymous: Identity = { session: '', principal: 'agent:anonymous', roles: ['agent'] }
const operator: Identity = { session: '', principal: 'operator:local', roles: ['agent', 'operator'] }

function agentIdentity(name: string, agent: AgentConfig): Identity {
  return {
    session: '',
    principal: `agent:${name}`,
    roles: agent.roles,
    ...(agent.group === undefined ? {} : { group: agent.group }),
  }
}

const refused = (code: string, message: string): Refused => ({ error: { code, message } })

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares digests, so that neither content nor length shows in the time it takes. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))
