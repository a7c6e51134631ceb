import type { CallOutcome } from '@callboard/hub'
import type { Client } from '@callboard/protocol'
import { parse } from './check-history.js'
import type { FaultProfile } from './fault-profile.js'
import type { History } from './history.js'
import { type CallBody, type Canary, chainPlan, makePlan, type Plan, quickPlan } from './plan.js'
import type { Random } from './random.js'
import { isRetriable, type ServiceSpec, type ToolSpec } from './services.js'
import type { SimulatedHub } from './simulated-hub.js'
import type { VirtualClock } from './virtual-clock.js'

export interface AgentContext {
  readonly clock: VirtualClock
  readonly random: Random
  readonly history: History
  readonly hub: SimulatedHub
  readonly services: readonly ServiceSpec[]
  readonly profile: FaultProfile
  /** Numbers that no two agents share. */
  readonly nextRef: () => number
  readonly nextConnection: () => number
}

interface OpenTurn {
  readonly canary: Canary
  readonly connection: number
  readonly onOutcome?: ((outcome: CallOutcome) => void) | undefined
}

export interface CallWishes {
  /** Reads the service's resource instead of calling the tool. */
  readonly reads?: boolean
  readonly timeoutMs?: number
  readonly onOutcome?: (outcome: CallOutcome) => void
}

interface Question {
  readonly id: string
  readonly canary: Canary
  readonly asked: Canary
  readonly connection: number
}

/** One session of an agent: opens and closes connections, calls, cancels, answers, watches. */
export class SimulatedAgent {
  readonly session: string
  readonly principal: string
  readonly #context: AgentContext
  readonly #client: Client
  readonly #connections = new Set<number>()
  readonly #turns = new Map<number, OpenTurn>()
  readonly #questions: Question[] = []
  #callSerial = 0
  #isRetired = false

  constructor(context: AgentContext, session: string, principal: string, client: Client) {
    this.#context = context
    this.session = session
    this.principal = principal
    this.#client = client
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  get openCount(): number {
    return this.#turns.size
  }

  /** Does one thing after the other until {@link retire}. */
  live(): void {
    const { clock, random, profile } = this.#context
    if (this.#isRetired) return
    this.#act()
    clock.after(random.integer(0, profile.paceMs * 2), () => this.live())
  }

  /** Closes everything and does nothing more. */
  retire(): void {
    this.#isRetired = true
    if (!this.#context.profile.forgetful) for (const question of this.#questions.splice(0)) this.#giveUp(question)
    for (const connection of [...this.#connections]) this.#close(connection)
  }

  open(): number {
    const { hub, nextConnection } = this.#context
    const connection = nextConnection()
    this.#connections.add(connection)
    const { session, principal } = this
    hub.step({ type: 'connection_opened', connection, identity: { session, principal, roles: ['agent'] } })
    return connection
  }

  call(connection: number, tool: ToolSpec, plan: Plan, wish: CallWishes = {}): number {
    const { hub, history, nextRef } = this.#context
    const name = `${this.session}/${++this.#callSerial}`
    const { reads = false, timeoutMs, onOutcome } = wish
    const canary: Canary = {
      call: name,
      root: name,
      session: this.session,
      principal: this.principal,
      depth: 0,
      retriable: reads || isRetriable(tool),
    }
    const ref = nextRef()
    const called = reads ? `${tool.service}://thing` : tool.name
    this.#turns.set(ref, { canary, connection, onOutcome })
    history.add({ kind: 'called', ref, canary, connection, name: called })
    const body = Buffer.from(JSON.stringify({ canary, plan } satisfies CallBody))
    const method = reads ? 'resources/read' : 'tools/call'
    const limit = timeoutMs === undefined ? {} : { timeoutMs }
    const call = { method, name: called, body, client: this.#client, ...limit } as const
    hub.step({ type: 'call', ref, connection, call })
    return ref
  }

  /** Many calls of one tool at once: more than any queue takes of one session. */
  burst(tool: ToolSpec, count: number): void {
    const { random } = this.#context
    const connection = [...this.#connections][0] ?? this.open()
    for (let index = 0; index < count; index++) this.call(connection, tool, quickPlan(random.integer(0, 50)))
  }

  settled(ref: number, outcome: CallOutcome): boolean {
    const turn = this.#turns.get(ref)
    if (turn === undefined || !this.#turns.delete(ref)) return false
    turn.onOutcome?.(outcome)
    if (outcome.kind === 'input_required') this.#wonder(turn, outcome)
    return true
  }

  hubLost(): void {
    this.#turns.clear()
    this.#questions.length = 0
    this.#connections.clear()
  }

  #act(): void {
    const { hub, random, services } = this.#context
    if (!hub.isUp) return
    const [first] = this.#connections
    if (first === undefined) {
      if (random.chance(0.7)) this.open()
      return
    }
    const connection = random.pick([...this.#connections])
    const service = random.pick(services)
    const draw = random.next()
    if (draw < 0.8) this.call(connection, random.pick(service.tools), this.#plan(), this.#wishes())
    else if (draw < 0.86) this.#cancelSome()
    else if (draw < 0.87) this.#close(connection)
    else if (draw < 0.89 && this.#connections.size < 3) this.open()
    else if (draw < 0.93) hub.step({ type: 'subscribe', connection, uri: service.uri })
    else if (draw < 0.96) hub.step({ type: 'unsubscribe', connection, uri: service.uri })
    else hub.step({ type: 'roots_changed', connection })
  }

  #wishes(): CallWishes {
    const { random, profile } = this.#context
    return {
      reads: random.chance(0.05),
      ...(random.chance(profile.impatience) ? { timeoutMs: random.integer(1, 2_000) } : {}),
    }
  }

  #plan(): Plan {
    const { random, services, profile } = this.#context
    if (profile.habits.nests > 2 && random.chance(0.03)) return chainPlan(random, services, random.integer(2, 10))
    return makePlan(random, services, profile.habits)
  }

  #cancelSome(): void {
    const { hub, history, random } = this.#context
    const refs = [...this.#turns.keys()]
    if (refs.length === 0) return
    const ref = random.pick(refs)
    history.add({ kind: 'cancelled', ref })
    hub.step({ type: 'cancel', ref })
  }

  #close(connection: number): void {
    if (this.#connections.delete(connection)) this.#context.hub.step({ type: 'connection_closed', connection })
  }

  /** A question: answered soon, late, by another connection, given up, or forgotten. */
  #wonder(turn: OpenTurn, { id, body }: Extract<CallOutcome, { kind: 'input_required' }>): void {
    const { clock, random, profile } = this.#context
    const asked = (parse(body) as { inputRequests: { q: { params: { canary: Canary } } } }).inputRequests.q.params
      .canary
    const question: Question = { id, canary: turn.canary, asked, connection: turn.connection }
    this.#questions.push(question)
    if (profile.forgetful && random.chance(0.3)) return
    const isGivenUp = random.chance(0.1)
    clock.after(random.integer(0, 1_500), () => this.#decide(question, isGivenUp))
  }

  #decide(question: Question, isGivenUp: boolean): void {
    const { clock, hub, history, nextRef } = this.#context
    const index = this.#questions.indexOf(question)
    if (index < 0) return
    if (this.#connections.size === 0) {
      clock.after(500, () => this.#decide(question, isGivenUp))
      return
    }
    this.#questions.splice(index, 1)
    if (isGivenUp) return this.#giveUp(question)
    const connection = this.#connectionFor(question)
    const ref = nextRef()
    this.#turns.set(ref, { canary: question.canary, connection })
    history.add({ kind: 'resumed', ref, canary: question.canary, connection, name: question.id })
    const body = Buffer.from(JSON.stringify({ inputResponses: { q: { echo: question.asked } } }))
    hub.step({ type: 'resume', ref, connection, id: question.id, body })
  }
  #giveUp(question: Question): void {
    this.#context.hub.step({ type: 'abandon', connection: this.#connectionFor(question), id: question.id })
  }

  /** The one that asked, or, when that is closed, another of the same agent. */
  #connectionFor({ connection }: Question): number {
    return this.#connections.has(connection) ? connection : ([...this.#connections][0] ?? this.open())
  }
}
