/** What the hub counts, by name and label; for metrics, and for tests that must see that something was dropped. */
export class Counters {
  readonly #counts = new Map<string, number>()

  add(name: string, label: string): void {
    const key = `${name}.${label}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  get(name: string, label: string): number {
    return this.#counts.get(`${name}.${label}`) ?? 0
  }

  snapshot(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1)))
  }
}
