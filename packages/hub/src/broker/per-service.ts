/** Fewer are not worth looking through. */
const pruneAbove = 256

/** Something of each service, made when it is first asked for; what belongs to services that are forgotten goes with them. */
export class PerService<Value> {
  readonly #values = new Map<string, Value>()
  readonly #create: () => Value
  readonly #isNeeded: (service: string, value: Value) => boolean
  #pruneAt = pruneAbove

  constructor(create: () => Value, isNeeded: (service: string, value: Value) => boolean) {
    this.#create = create
    this.#isNeeded = isNeeded
  }

  of(service: string): Value {
    const known = this.#values.get(service)
    if (known !== undefined) return known
    if (this.#values.size >= this.#pruneAt) this.#prune()
    const fresh = this.#create()
    this.#values.set(service, fresh)
    return fresh
  }

  /** Undefined when it was never asked for. */
  find(service: string): Value | undefined {
    return this.#values.get(service)
  }

  #prune(): void {
    for (const [service, value] of this.#values) if (!this.#isNeeded(service, value)) this.#values.delete(service)
    this.#pruneAt = Math.max(pruneAbove, 2 * this.#values.size)
  }
}
