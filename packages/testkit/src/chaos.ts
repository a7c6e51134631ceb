import type { CallId, Message, SessionView } from '@callboard/protocol'
import { type FaultProfile, type Trouble, troubles } from './fault-profile.js'
import type { Link } from './link.js'
import { quickPlan } from './plan.js'
import type { Random } from './random.js'
import { builds, ownToolName } from './services.js'
import type { SimulatedHub } from './simulated-hub.js'
import type { SimulatedWorker } from './simulated-worker.js'
import type { VirtualClock } from './virtual-clock.js'

export interface ChaosContext {
  readonly clock: VirtualClock
  readonly random: Random
  readonly profile: FaultProfile
  readonly link: Link
  readonly hub: SimulatedHub
  /** The processes that live now. */
  readonly workers: () => readonly SimulatedWorker[]
  /** One agent makes many calls at once. */
  readonly burst: () => void
  /** All of them do, for the same. */
  readonly crowd: () => void
  readonly note: (text: string) => void
}

const stepMs = 100

/** Makes the troubles of a profile, until it is told to stop. */
export class Chaos {
  readonly #context: ChaosContext
  #isOver = false
  #hostileSerial = 0

  constructor(context: ChaosContext) {
    this.#context = context
  }

  begin(): void {
    const { clock, random, profile } = this.#context
    if (this.#isOver) return
    for (const trouble of troubles) if (random.chance(profile.troubles[trouble])) this.#make(trouble)
    clock.after(stepMs, () => this.begin())
  }

  stop(): void {
    this.#isOver = true
  }

  /** How long after a connection's end one side is told; `never` where notices are mixed. */
  notice(): number | 'never' {
    const { random, profile } = this.#context
    switch (profile.notices) {
      case 'prompt':
        return random.integer(0, 5)
      case 'late':
        return random.integer(0, 5_000)
      case 'mixed':
        return random.chance(0.4) ? 'never' : random.integer(0, 3_000)
    }
  }

  redialMs(): number {
    const { random } = this.#context
    return random.chance(0.7) ? random.integer(0, 200) : random.integer(0, 4_000)
  }

  #make(trouble: Trouble): void {
    const { random, workers, hub, profile } = this.#context
    const living = workers()
    if (trouble.startsWith('hub')) return this.#makeAtHub(trouble)
    if (living.length === 0) return
    const worker = random.pick(living)
    switch (trouble) {
      case 'cut':
        this.#context.note(`the link of ${worker.instance} is cut`)
        return this.#context.link.cut(worker.peer, {
          hubNotice: this.notice(),
          workerNotice: this.notice(),
          redialMs: this.redialMs(),
        })
      case 'freeze':
        worker.freeze()
        this.#context.clock.after(random.pick([200, 1_500, 4_000, 9_000]), () => worker.thaw())
        return
      case 'kill':
        return worker.kill(this.notice())
      case 'terminate':
        return worker.terminate()
      case 'stop':
        return worker.stopNow()
      case 'drain': {
        const target = random.chance(0.5)
          ? ({ kind: 'instance', instance: worker.instance } as const)
          : ({ kind: 'service', service: worker.service } as const)
        return hub.step({ type: 'drain', target, drainMs: random.pick([0, 500, 5_000]) })
      }
      case 'hostile_frame':
        return this.#sayNonsense(worker, living)
      case 'redefine':
        return worker.redefine(random.chance(0.5))
      case 'tell':
        return this.#tell(worker)
      case 'sicken': {
        worker.sicken(random.pick(['is_error', 'error', 'never'] as const))
        this.#context.clock.after(random.pick([1_000, 5_000, 20_000]), () => worker.sicken(undefined))
        return
      }
      case 'rebuild':
        if (profile.drifts) worker.rebuild(random.pick(builds.filter(({ version }) => version === worker.version)))
        return
      case 'burst':
        return this.#context.burst()
      case 'crowd':
        return this.#context.crowd()
      case 'clock_jump':
        return worker.skipTime(random.pick([300, 3_000, 60_000]))
      default:
        return
    }
  }

  #makeAtHub(trouble: Trouble): void {
    const { clock, random, hub } = this.#context
    if (!hub.isUp) return
    if (trouble === 'hub_kill') return this.#restartHub()
    if (trouble === 'hub_shutdown') {
      hub.step({ type: 'drain', target: { kind: 'all' }, drainMs: 1_000 })
      clock.after(random.integer(0, 3_000), () => hub.isUp && this.#restartHub())
    }
    if (trouble === 'hub_freeze' && !hub.isFrozen) {
      this.#context.note('the hub freezes')
      hub.freeze()
      clock.after(random.pick([100, 2_000, 6_000]), () => hub.thaw())
    }
  }

  #restartHub(): void {
    const { clock, random, hub } = this.#context
    hub.kill(
      () => this.notice(),
      () => this.redialMs(),
    )
    clock.after(random.integer(10, 2_500), () => hub.isUp || hub.start())
  }

  #tell(worker: SimulatedWorker): void {
    const { random } = this.#context
    const [session] = worker.knownSessions
    if (session !== undefined && random.chance(0.3)) {
      return worker.tell({ type: 'view_changed', session, view: this.#view(worker.service) })
    }
    const kind = random.pick(['resource_updated', 'resource_updated', 'tools_changed'] as const)
    const uri = kind === 'resource_updated' ? { uri: `${worker.service}://thing` } : {}
    const only = session !== undefined && random.chance(0.3) ? { session } : {}
    worker.tell({ type: 'happened', kind, ...uri, ...only })
  }

  /** A tool of the session's own is called and answered as the one in whose place it stands. */
  #view(service: string): SessionView {
    const { random } = this.#context
    const name = ownToolName(service)
    const own = { name, description: `of site ${random.integer(1, 3)}`, inputSchema: { type: 'object' } } as const
    return {
      hiddenTools: random.chance(0.5) ? [name] : [],
      shownTools: random.chance(0.3) ? [name] : [],
      tools: random.chance(0.4) ? [own] : [],
    }
  }

  /** Frames that a correct worker would never send: about calls of others, of nobody, twice, or no frames at all. */
  #sayNonsense(worker: SimulatedWorker, living: readonly SimulatedWorker[]): void {
    const { random } = this.#context
    if (random.chance(0.15)) return worker.sendBytes([random.bytes(random.integer(0, 40))])
    const others = living.filter((other) => other !== worker).flatMap((other) => other.runningOnce)
    const id =
      others.length > 0 && random.chance(0.7) ? random.pick(others) : `hubepoch01-forged${random.integer(1, 500)}`
    worker.sendRaw([this.#nonsense(id, worker)])
  }

  #nonsense(id: CallId, worker: SimulatedWorker): Message {
    const { random } = this.#context
    const call = `forged-${++this.#hostileSerial}`
    const canary = {
      call,
      root: call,
      session: undefined,
      principal: 'forged',
      depth: -1,
      retriable: true,
    }
    const body = Buffer.from(JSON.stringify({ canary, run: 'forged' }))
    const plan = Buffer.from(JSON.stringify({ canary, plan: quickPlan(1) }))
    const [own] = worker.running
    const epoch = id.slice(0, id.indexOf('-'))
    const name = `forged-${this.#hostileSerial}`
    return random.pick<Message>([
      { type: 'response', id, outcome: 'result', body },
      { type: 'response', id, outcome: 'error', body },
      { type: 'response', id, outcome: 'not_started', reason: 'draining' },
      { type: 'progress', id, body },
      { type: 'log', id, level: 'error', body },
      { type: 'input_required', id, timeoutMs: 10, body },
      { type: 'cancel', id, reason: 'cancelled' },
      {
        type: 'call',
        epoch,
        id: name,
        method: 'tools/call',
        name: 'svc0_tool0',
        parent: id,
        progress: true,
        body: plan,
      },
      {
        type: 'call',
        epoch,
        id: name,
        method: 'tools/call',
        name: 'svc0_tool2',
        parent: own ?? id,
        progress: false,
        body: plan,
      },
      { type: 'event', epoch, kind: 'resource_updated', uri: 'svc0://thing' },
      { type: 'hello', versions: [1, 1] },
      { type: 'bye', epoch },
      { type: 'challenge', version: 1, nonce: new Uint8Array(32), epoch },
      { type: 'drain', epoch, drainMs: 100, acknowledged: true },
    ])
  }
}
