import {
  Broker,
  type BrokerEffect,
  type BrokerEvent,
  type BrokerOptions,
  type BrokerSnapshot,
  type CallOutcome,
} from '@callboard/hub'
import { encodeBatches, type FromHub, isFromWorker } from '@callboard/protocol'
import { type History, Violation } from './history.js'
import { HubWatch } from './hub-watch.js'
import type { Link } from './link.js'
import type { Random } from './random.js'
import { extraToolName, type ServiceSpec } from './services.js'
import type { Alarm, VirtualClock } from './virtual-clock.js'
import { rulesInForce } from './watch/rules.js'

/** What the simulation needs of a broker; a test plants its bugs between this and the real one. */
export type BrokerLike = Pick<Broker, 'step' | 'nextDeadline' | 'snapshot' | 'tool'>

export interface HubOptions {
  readonly clock: VirtualClock
  readonly random: Random
  readonly link: Link
  readonly history: History
  readonly services: readonly ServiceSpec[]
  readonly secret: string
  readonly wrapBroker: (broker: BrokerLike) => BrokerLike
}

type StoredServices = Extract<BrokerEvent, { type: 'catalogue_restored' }>['services']

/** Steps between two comparisons of the broker's books with the watcher's: each makes a whole snapshot. */
const compareEvery = 40

/** The hub's process: a shell around one broker, which a restart replaces. */
export class SimulatedHub {
  readonly #options: HubOptions
  readonly #outbox = new Map<string, FromHub[]>()
  readonly #frozen: BrokerEvent[] = []
  #kept: StoredServices = []
  #broker: BrokerLike | undefined
  #watch: HubWatch
  #epochSerial = 0
  #epoch = ''
  #isFrozen = false
  #flush: Alarm | undefined
  #alarm: Alarm | undefined
  #steps = 0
  /** Which agent waits for what; settled turns are told. */
  onSettled: (ref: number, outcome: CallOutcome) => void = () => {}
  onLost: () => void = () => {}

  constructor(options: HubOptions) {
    this.#options = options
    this.#watch = this.#makeWatch()
  }

  get isUp(): boolean {
    return this.#broker !== undefined
  }

  get isFrozen(): boolean {
    return this.#isFrozen
  }

  snapshot(): BrokerSnapshot {
    if (this.#broker === undefined) throw new Error('the hub is down')
    return this.#broker.snapshot()
  }

  start(): void {
    const { clock, random, link, history, services, secret, wrapBroker } = this.#options
    this.#epoch = `hubepoch${(++this.#epochSerial).toString(36).padStart(2, '0')}`
    const options: BrokerOptions = {
      epoch: this.#epoch,
      signInSecret: secret,
      reservedServices: services.filter(({ trusted }) => trusted).map(({ service }) => service),
      random: (count) => random.bytes(count),
      namespace: 'never',
      inspect: () => undefined,
    }
    this.#watch = this.#makeWatch()
    this.#broker = wrapBroker(new Broker(options, clock.now))
    history.add({ kind: 'hub_started', epoch: this.#epoch })
    this.step({ type: 'catalogue_restored', services: this.#kept })
    link.listen({
      peerConnected: (peer) => this.step({ type: 'peer_connected', peer }),
      peerLost: (peer) => this.step({ type: 'peer_lost', peer }),
      sendFailed: (peer) => this.step({ type: 'send_failed', peer }),
      received: (peer, messages, faults) => {
        for (const message of messages) {
          if (isFromWorker(message)) this.step({ type: 'message', peer, message })
          else this.step({ type: 'faults', peer, faults: [{ code: 'type_unknown', message: 'the hub sends that' }] })
        }
        if (faults.length > 0) this.step({ type: 'faults', peer, faults })
      },
    })
  }

  /** SIGKILL. */
  kill(workerNotice: () => number | 'never', redialMs: () => number): void {
    this.#broker = undefined
    this.#isFrozen = false
    this.#frozen.length = 0
    this.#outbox.clear()
    this.#alarm?.cancel()
    this.#flush?.cancel()
    this.#flush = undefined
    this.#options.link.hangUp(workerNotice, redialMs)
    this.#options.history.add({ kind: 'hub_lost', epoch: this.#epoch })
    this.onLost()
  }

  freeze(): void {
    this.#isFrozen = true
  }

  thaw(): void {
    if (!this.#isFrozen) return
    this.#isFrozen = false
    for (const event of this.#frozen.splice(0)) this.step(event)
  }

  step(event: BrokerEvent): void {
    if (this.#broker === undefined) return
    if (this.#isFrozen) {
      this.#frozen.push(event)
      return
    }
    const { clock, history } = this.#options
    if (event.type === 'message')
      history.add({ kind: 'frame', from: 'worker', peer: event.peer, message: event.message })
    const effects = this.#broker.step(event, clock.now)
    this.#watch.see(event, effects, clock.now)
    for (const effect of effects) this.#perform(effect)
    if (++this.#steps % compareEvery === 0) this.compare()
    this.#arm()
  }

  compare(): void {
    if (this.#broker !== undefined) this.#watch.compare(this.#broker.snapshot())
  }

  #perform(effect: BrokerEffect): void {
    const { history, clock } = this.#options
    switch (effect.type) {
      case 'send': {
        history.add({ kind: 'frame', from: 'hub', peer: effect.peer, message: effect.message })
        const queue = this.#outbox.get(effect.peer)
        if (queue === undefined) this.#outbox.set(effect.peer, [effect.message])
        else queue.push(effect.message)
        this.#flush ??= clock.after(0, () => this.#sendAll())
        return
      }
      case 'settle':
        history.add({ kind: 'settled', ref: effect.ref, outcome: effect.outcome })
        return this.onSettled(effect.ref, effect.outcome)
      case 'catalogue_changed':
        this.#kept = effect.services
        return
      case 'notice':
        return history.note(`notice ${JSON.stringify(effect.notice)}`)
      default:
        return
    }
  }

  #sendAll(): void {
    this.#flush = undefined
    if (this.#isFrozen) {
      this.#flush = this.#options.clock.after(1, () => this.#sendAll())
      return
    }
    for (const [peer, messages] of this.#outbox) {
      for (const frames of encodeBatches(messages)) this.#options.link.send(peer, frames)
    }
    this.#outbox.clear()
  }

  #arm(): void {
    const at = this.#broker?.nextDeadline()
    this.#alarm?.cancel()
    if (at !== undefined) this.#alarm = this.#options.clock.at(at, () => this.#tick())
  }

  #tick(): void {
    const { clock } = this.#options
    if (this.#isFrozen) {
      this.#alarm = clock.after(10, () => this.#tick())
      return
    }
    this.step({ type: 'tick' })
    const next = this.#broker?.nextDeadline()
    if (next !== undefined && next <= clock.now) {
      throw new Violation(`a tick of the broker at ${clock.now} left its deadline at ${next}: a shell would spin`)
    }
  }

  #makeWatch(): HubWatch {
    const byService = new Map(this.#options.services.map(({ service, affinity }) => [service, affinity]))
    return new HubWatch({
      rules: rulesInForce,
      affinityOf: (service) => byService.get(service) ?? 'none',
      inForce: () => this.#definitionsInForce(),
    })
  }

  /** As somebody sees them for whom no worker has a view of its own. */
  #definitionsInForce(): ReadonlyMap<string, ReadonlyMap<string, string>> {
    const stranger = { session: 'the watch', principal: 'the watch', roles: ['agent'] } as const
    const textOf = (name: string): [string, string][] => {
      const value = this.#broker?.tool(name, stranger)?.value
      return value === undefined ? [] : [[name, JSON.stringify(value)]]
    }
    return new Map(
      this.#options.services.map(({ service, tools }) => [
        service,
        new Map([...tools.map(({ name }) => name), extraToolName(service)].flatMap(textOf)),
      ]),
    )
  }
}
