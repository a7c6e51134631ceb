import type { CallOutcome } from '@callboard/hub'
import type { Client } from '@callboard/protocol'
import type { SessionOptions } from '@callboard/worker'
import { Chaos } from './chaos.js'
import { HistoryChecker } from './check-history.js'
import { type FaultProfile, makeProfile } from './fault-profile.js'
import { type Checker, History, type HistoryRecord, Violation } from './history.js'
import { Link, perfectLink } from './link.js'
import { quickPlan } from './plan.js'
import { Random } from './random.js'
import { builds, firstBuild, makeServices, type ServiceSpec } from './services.js'
import { SimulatedAgent } from './simulated-agent.js'
import { type BrokerLike, SimulatedHub } from './simulated-hub.js'
import { type SessionLike, SimulatedWorker } from './simulated-worker.js'
import { VirtualClock } from './virtual-clock.js'

export interface SimulationOptions {
  readonly seed: number
  /** What a test wants otherwise than the seed would have it. */
  readonly profile?: Partial<FaultProfile>
  readonly services?: readonly ServiceSpec[]
  readonly wrapBroker?: (broker: BrokerLike) => BrokerLike
  readonly wrapSession?: (session: SessionLike, options: SessionOptions) => SessionLike
  /** Sees every record of the history as a line. */
  readonly onLine?: (line: string) => void
}

export interface SimulationReport {
  readonly seed: number
  readonly profile: string
  readonly virtualMs: number
  readonly calls: number
  readonly records: number
  /** How many turns ended how. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly failure?: { readonly message: string; readonly lines: readonly string[] }
}

/** Runs one seed to its end; never throws for what the simulated parts do wrong. */
export function simulate(options: SimulationOptions): SimulationReport {
  return new Simulation(options).run()
}

interface Slot {
  readonly spec: ServiceSpec
  worker: SimulatedWorker | undefined
}

/** Longer than any deadline, linger, drain or notice of the simulated services. */
const settleMs = 75_000
/** Longer than a question may stay unanswered. */
const forgottenMs = 13 * 60_000
const startAt = 1_000_000_000_000

class Simulation {
  readonly #options: SimulationOptions
  readonly #random: Random
  readonly #clock = new VirtualClock(startAt)
  readonly #profile: FaultProfile
  readonly #services: readonly ServiceSpec[]
  readonly #history: History
  readonly #checker: HistoryChecker
  readonly #link: Link
  readonly #hub: SimulatedHub
  readonly #chaos: Chaos
  readonly #slots: Slot[]
  readonly #agents: SimulatedAgent[] = []
  readonly #outcomes: Record<string, number> = {}
  #instanceSerial = 0
  #refSerial = 0
  #connectionSerial = 0

  constructor(options: SimulationOptions) {
    const clock = this.#clock
    const random = new Random(options.seed)
    this.#options = options
    this.#random = random
    this.#profile = { ...makeProfile(random.fork()), ...options.profile }
    this.#services = options.services ?? makeServices(random.fork())
    this.#checker = new HistoryChecker({
      framesRepeat: this.#profile.link.duplication > 0,
      staleAfterMs: staleAfterMs(this.#profile),
    })
    const counting: Checker = { see: (record) => this.#count(record) }
    this.#history = new History(() => clock.now - startAt, [this.#checker, counting], options.onLine)
    this.#link = new Link(clock, random.fork(), this.#profile.link)
    this.#hub = new SimulatedHub({
      clock,
      random: random.fork(),
      link: this.#link,
      history: this.#history,
      services: this.#services,
      secret,
      wrapBroker: options.wrapBroker ?? ((broker) => broker),
    })
    this.#hub.onSettled = (ref, outcome) => this.#agents.some((agent) => agent.settled(ref, outcome))
    this.#hub.onLost = () => {
      for (const agent of this.#agents) agent.hubLost()
    }
    this.#slots = this.#services.flatMap((spec) =>
      Array.from({ length: spec.instances }, () => ({ spec, worker: undefined })),
    )
    this.#chaos = new Chaos({
      clock,
      random: random.fork(),
      profile: this.#profile,
      link: this.#link,
      hub: this.#hub,
      workers: () => this.#workers().filter(({ isFrozen }) => !isFrozen),
      burst: () => this.#burst(1, 400),
      crowd: () => this.#burst(this.#agents.length, 320),
      note: (text) => this.#history.note(text),
    })
  }

  run(): SimulationReport {
    let failure: SimulationReport['failure']
    try {
      this.#start()
      this.#live()
      this.#settle()
      this.#probe()
      this.#checkEnd()
    } catch (error) {
      const message =
        error instanceof Violation ? error.message : `threw ${error instanceof Error ? error.stack : error}`
      failure = { message, lines: this.#history.lastLines(40) }
    }
    return {
      seed: this.#options.seed,
      profile: this.#profile.name,
      virtualMs: this.#clock.now - startAt,
      calls: this.#refSerial,
      records: this.#history.records.length,
      outcomes: this.#outcomes,
      ...(failure === undefined ? {} : { failure }),
    }
  }

  #start(): void {
    const random = this.#random.fork()
    this.#hub.start()
    for (const slot of this.#slots) this.#spawn(slot)
    // A hub that is up for long has told the workers already which sessions live.
    if (random.chance(0.5)) this.#clock.runUntil(this.#clock.now + 31_000)
    for (let index = 0; index < this.#profile.agents; index++) {
      const agent = this.#addAgent(`session-${index}`, `agent:${random.integer(0, 2)}`, makeClient(random))
      this.#clock.after(random.integer(0, 1_000), () => agent.live())
    }
  }

  /** The time of troubles. */
  #live(): void {
    const until = this.#clock.now + this.#profile.chaosMs
    this.#clock.runUntil(this.#clock.now + 1_500)
    if (this.#profile.name === 'rolling') this.#roll(0)
    this.#chaos.begin()
    this.#clock.runUntil(until)
    this.#chaos.stop()
  }

  /** No more faults; then no more agents; then time for everything that is still to end. */
  #settle(): void {
    this.#history.note('the troubles are over')
    this.#link.faults = perfectLink
    this.#hub.thaw()
    for (const worker of this.#workers()) {
      worker.thaw()
      worker.sicken(undefined)
    }
    this.#clock.runUntil(this.#clock.now + 6_000)
    for (const agent of this.#agents) agent.retire()
    if (this.#profile.name === 'lossy') this.#bounceLinks()
    this.#clock.runUntil(this.#clock.now + (this.#profile.forgetful ? forgottenMs : settleMs))
    for (const worker of this.#workers()) if (worker.isStuck) worker.kill(0)
    this.#clock.runUntil(this.#clock.now + 20_000)
  }

  /** What the link lost within a connection is lost for good: only a new connection makes up for it. */
  #bounceLinks(): void {
    for (const worker of this.#workers()) this.#link.cut(worker.peer, { hubNotice: 1, workerNotice: 1, redialMs: 50 })
  }

  /** Every service takes as many calls at once as it has credits, and answers all. */
  #probe(): void {
    this.#history.note('the probe begins')
    for (const { spec, worker } of this.#slots) {
      if (worker?.state !== 'ready')
        throw new Violation(`${spec.service} has a worker that is ${worker?.state ?? 'away'}`)
    }
    const probes = this.#services.flatMap((spec) =>
      Array.from({ length: spec.instances * spec.concurrency }, (_, index) => this.#probeOne(spec, index)),
    )
    this.#clock.runUntil(this.#clock.now + 200)
    const { queued, workers } = this.#hub.snapshot()
    const loads = workers.map(({ instance, inFlight, concurrency }) => `${instance} ${inFlight}/${concurrency}`)
    if (queued > 0) throw new Violation(`${queued} probes wait, though all workers should be idle: ${loads.join(', ')}`)
    this.#clock.runUntil(this.#clock.now + 3_000)
    const open = probes.filter(({ openCount }) => openCount > 0)
    if (open.length > 0) throw new Violation(`${open.length} probes got no answer`)
    for (const probe of probes) probe.retire()
    this.#clock.runUntil(this.#clock.now + 12_000)
  }

  #probeOne(spec: ServiceSpec, index: number): SimulatedAgent {
    const client: Client = { generation: 'modern', input: [], progress: false }
    const probe = this.#addAgent(`probe-${spec.service}-${index}`, `agent:probe-${spec.service}-${index}`, client)
    probe.call(probe.open(), spec.tools[0]!, quickPlan(600), {
      onOutcome: (outcome) => {
        if (outcome.kind === 'result') return
        throw new Violation(`the probe of ${spec.service} ended as ${outcomeName(outcome)}`)
      },
    })
    return probe
  }

  #checkEnd(): void {
    this.#checker.finish()
    this.#hub.compare()
    const { calls, queued, sessions, connections, conversations, timers, workers } = this.#hub.snapshot()
    const left = { calls: calls.length, queued, sessions, connections, conversations }
    mustBeZero('the broker', left)
    for (const { instance, inFlight, suspended } of workers)
      mustBeZero(`the broker for ${instance}`, { inFlight, suspended })
    if (workers.length !== this.#slots.length) throw new Violation(`the broker has ${workers.length} workers`)
    // The one standing timer is each worker's silence.
    if (timers !== workers.length) throw new Violation(`the broker has ${timers} timers for ${workers.length} workers`)
    for (const worker of this.#workers()) mustBeZero(worker.instance, worker.leftovers)
  }

  // Workers -----------------------------------------------------------------------------------------------------------

  #workers(): SimulatedWorker[] {
    return this.#slots.flatMap(({ worker }) => (worker === undefined || worker.isDead ? [] : [worker]))
  }

  #spawn(slot: Slot): void {
    const random = this.#random.fork()
    const instance = `i${++this.#instanceSerial}`
    const skew = this.#profile.clockSkewMs
    const context = {
      clock: this.#clock,
      random,
      link: this.#link,
      history: this.#history,
      secret,
      wrapSession: this.#options.wrapSession ?? ((session: SessionLike) => session),
    }
    const clockOffset = random.integer(-skew, skew) + random.next()
    const build = this.#profile.drifts ? random.pick(builds) : firstBuild
    slot.worker = new SimulatedWorker(context, { spec: slot.spec, build, instance, clockOffset }, () =>
      this.#clock.after(random.integer(50, 1_500), () => this.#spawn(slot)),
    )
  }

  /** One worker after the other leaves and comes back. */
  #roll(index: number): void {
    const slot = this.#slots[index % this.#slots.length]!
    slot.worker?.terminate()
    const next = () => {
      if (slot.worker?.state === 'ready') this.#clock.after(300, () => this.#roll(index + 1))
      else this.#clock.after(100, next)
    }
    if (index < this.#slots.length) this.#clock.after(100, next)
  }

  /** So many sessions ask for more of one tool than may wait. */
  #burst(sessions: number, callsMax: number): void {
    const random = this.#random.fork()
    if (this.#agents.length === 0 || !this.#hub.isUp) return
    const tool = random.pick(random.pick(this.#services).tools)
    const first = random.integer(0, this.#agents.length - 1)
    for (let index = first; index < first + sessions; index++) {
      this.#agents[index % this.#agents.length]?.burst(tool, random.integer(callsMax / 2, callsMax))
    }
  }

  // Agents ------------------------------------------------------------------------------------------------------------

  #addAgent(session: string, principal: string, client: Client): SimulatedAgent {
    const agent = new SimulatedAgent(
      {
        clock: this.#clock,
        random: this.#random.fork(),
        history: this.#history,
        hub: this.#hub,
        services: this.#services,
        profile: this.#profile,
        nextRef: () => ++this.#refSerial,
        nextConnection: () => ++this.#connectionSerial,
      },
      session,
      principal,
      client,
    )
    this.#agents.push(agent)
    return agent
  }

  #count(record: HistoryRecord): void {
    if (record.kind === 'nested_settled') this.#add(`nested ${record.failure?.code ?? record.outcome}`)
    if (record.kind !== 'settled') return
    const name = outcomeName(record.outcome)
    this.#add(name)
    if (this.#profile.name === 'rolling' && (name === 'unavailable' || name === 'outcome_unknown')) {
      throw new Violation(`a call ended as ${name} though workers only left and came back`)
    }
  }

  #add(name: string): void {
    this.#outcomes[name] = (this.#outcomes[name] ?? 0) + 1
  }
}

/** The longest gap that a worker may overlook, its heartbeat interval, and some. */
const overlookedMs = 2_500

/** A hub that stops sends late what it said before, and a lossy link loses it. */
function staleAfterMs({ name, link, troubles }: FaultProfile): number | undefined {
  return name === 'lossy' || troubles.hub_freeze > 0 ? undefined : link.latencyMs[1] + overlookedMs
}

const secret = 'the secret of the simulation'

function makeClient(random: Random): Client {
  const generation = random.pick(['legacy', 'modern'] as const)
  return { generation, input: random.chance(0.8) ? ['form'] : [], logLevel: 'info', progress: random.chance(0.7) }
}

function outcomeName(outcome: CallOutcome): string {
  return outcome.kind === 'failure' ? outcome.failure.code : outcome.kind
}

function mustBeZero(who: string, left: Readonly<Record<string, number>>): void {
  const some = Object.entries(left).filter(([, count]) => count !== 0)
  if (some.length > 0)
    throw new Violation(`${who} has left: ${some.map(([what, count]) => `${count} ${what}`).join(', ')}`)
}
