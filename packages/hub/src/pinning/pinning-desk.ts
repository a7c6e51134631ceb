import type { BrokerEvent } from '../broker/events.js'
import type { Logger } from '../hub-log.js'
import { heldShownCharactersMax, heldShownMax } from './limits.js'
import { type Pin, readPins, withPin, writePins } from './pin-file.js'
import type { HeldDefinition } from './pinning.js'
import { acceptanceOf } from './worker-identity.js'

/** What the desk needs of the broker. */
export interface PinningBroker {
  step(event: BrokerEvent): void
  readonly broker: { held(): readonly HeldDefinition[] }
}

/** What was accepted before in the place of a held definition, if anything was. */
export interface ShownHeld extends HeldDefinition {
  readonly accepted?: Pick<Pin, 'hash' | 'acceptedAt' | 'listed' | 'roles'> | undefined
}

type Answer = object
type Command = { readonly [key: string]: unknown }

/** Where operators see and accept definitions. Without the setting there is nothing to accept. */
export class PinningDesk {
  readonly #dataDirectory: string
  readonly #hub: PinningBroker
  readonly #now: () => number
  #pins: readonly Pin[] = []
  #problem: string | undefined
  /** One change of the file after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(dataDirectory: string, hub: PinningBroker, now: () => number) {
    this.#dataDirectory = dataDirectory
    this.#hub = hub
    this.#now = now
  }

  /** Before a kept catalogue is restored: nothing that was not accepted may come back with it. */
  static async open(
    dataDirectory: string,
    hub: PinningBroker,
    log: Pick<Logger, 'error'>,
    now: () => number,
  ): Promise<PinningDesk> {
    const desk = new PinningDesk(dataDirectory, hub, now)
    await desk.#read()
    if (desk.#problem !== undefined) log.error({ problem: desk.#problem }, 'the accepted definitions are of no use')
    return desk
  }

  /** Undefined: no command for the desk. The operator has shown the secret. */
  command(command: Command): Promise<Answer> | undefined {
    switch (command['command']) {
      case 'held_definitions':
        return this.#inTurn(async () => this.#held())
      case 'accepted_definitions':
        return this.#inTurn(async () => ({ pins: this.#pins.map(({ listed: _, ...pin }) => pin) }))
      case 'accept_definitions':
        return this.#inTurn(() => this.#accept(command['definitions']))
      case 'forget_accepted':
        return this.#inTurn(() => this.#forget(command['name']))
      default:
        return undefined
    }
  }

  #inTurn(act: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#turn
      .then(() => (this.#problem === undefined ? undefined : this.#read()))
      .then(() => (this.#problem === undefined ? act() : refusal('pins_unusable', this.#problem)))
      .catch((error: unknown) => refusal('pins_unusable', (error as Error).message))
    this.#turn = answer
    return answer
  }

  async #read(): Promise<void> {
    try {
      this.#pins = await readPins(this.#dataDirectory)
      this.#problem = undefined
    } catch (error) {
      this.#pins = []
      this.#problem = (error as Error).message
    }
    this.#tell()
  }

  #held(): Answer {
    const all = this.#hub.broker.held()
    let characters = 0
    const held: ShownHeld[] = []
    for (const each of all) {
      const accepted = this.#pins.find((pin) => isOfName(pin, each))
      characters += each.characters + (accepted === undefined ? 0 : JSON.stringify(accepted.listed).length)
      if (held.length >= heldShownMax || (held.length > 0 && characters > heldShownCharactersMax)) break
      held.push({ ...each, ...(accepted !== undefined && { accepted: withoutName(accepted) }) })
    }
    return { held, total: all.length }
  }

  /** All of them or none: what changed since it was seen is not what was meant. */
  async #accept(wanted: unknown): Promise<Answer> {
    if (!isListOfWishes(wanted)) return refusal('invalid_argument', 'What is accepted must be named by its hash.')
    const held = new Map(this.#hub.broker.held().map((each) => [wishKey(each), each]))
    let pins = this.#pins
    for (const wish of wanted) {
      const found = held.get(wishKey(wish))
      if (found === undefined) {
        return refusal(
          'changed',
          'A definition changed, went away or was accepted since it was shown, so nothing was accepted: look again.',
        )
      }
      const { identity, service, kind, name, hash, listed, roles } = found
      pins = withPin(pins, { identity, service, kind, name, hash, acceptedAt: this.#now(), listed, roles })
    }
    await this.#keep(pins)
    return { accepted: wanted.length }
  }

  async #forget(name: unknown): Promise<Answer> {
    const gone = this.#pins.filter((pin) => pin.name === name || pin.service === name || pin.identity === name)
    if (gone.length === 0) return refusal('unknown_name', 'Nothing of that name was accepted.')
    await this.#keep(this.#pins.filter((pin) => !gone.includes(pin)))
    return { forgotten: gone.map(({ listed: _, ...pin }) => pin) }
  }

  /** In the file first: what is in force must be so after a restart, too. */
  async #keep(pins: readonly Pin[]): Promise<void> {
    await writePins(this.#dataDirectory, pins)
    this.#pins = pins
    this.#tell()
  }

  #tell(): void {
    const accepted = new Set(this.#pins.map(({ identity, service, hash }) => acceptanceOf(identity, service, hash)))
    this.#hub.step({ type: 'pins_changed', accepted })
  }
}

type Wish = Pick<Pin, 'identity' | 'service' | 'hash'>

const wishKey = ({ identity, service, hash }: Wish): string => acceptanceOf(identity, service, hash)

const isOfName = (pin: Pin, held: HeldDefinition): boolean =>
  pin.identity === held.identity && pin.service === held.service && pin.kind === held.kind && pin.name === held.name

const withoutName = ({ hash, acceptedAt, listed, roles }: Pin) => ({ hash, acceptedAt, listed, roles })

function isListOfWishes(value: unknown): value is readonly Wish[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > heldShownMax) return false
  return value.every((each) => ['identity', 'service', 'hash'].every((key) => typeof each?.[key] === 'string'))
}

const refusal = (code: string, message: string): Answer => ({ error: { code, message } })
