import { laterSecretsMax, redactedDepthMax } from '../limits.js'
import type { Redactor } from './redactor.js'
import { formsOf } from './secret-forms.js'
import { SecretMatcher } from './secret-matcher.js'

const redaction = '[redacted]'

/** Knows some secrets for ever, and of those that are added the newest. */
export class SecretRedactor implements Redactor {
  readonly #lasting: ReadonlySet<string>
  /** The newest last. */
  readonly #later = new Set<string>()
  #matcher: SecretMatcher | undefined

  constructor(secrets: Iterable<string>) {
    this.#lasting = new Set(secrets)
  }

  add(secret: string): void {
    if (this.#lasting.has(secret)) return
    const isNew = !this.#later.delete(secret)
    this.#later.add(secret)
    if (!isNew) return
    const [oldest] = this.#later
    if (this.#later.size > laterSecretsMax && oldest !== undefined) this.#later.delete(oldest)
    this.#matcher = undefined
  }

  also(secrets: readonly string[]): Redactor {
    return secrets.length === 0 ? this : new BothRedactors(this, new SecretRedactor(secrets))
  }

  text(text: string): string {
    this.#matcher ??= new SecretMatcher([...this.#lasting, ...this.#later].flatMap(formsOf))
    return this.#matcher.replace(text, redaction)
  }

  value<Value>(value: Value): Value {
    return this.#redacted(value, 0) as Value
  }

  /** What is nested too deep to be looked at goes as a whole. */
  #redacted(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth >= redactedDepthMax) return redaction
    return Array.isArray(value) ? this.#redactedList(value, depth) : this.#redactedObject(value, depth)
  }

  #redactedList(list: readonly unknown[], depth: number): readonly unknown[] {
    const items = list.map((item) => this.#redacted(item, depth + 1))
    return items.every((item, index) => Object.is(item, list[index])) ? list : items
  }

  #redactedObject(object: object, depth: number): object {
    let isSame = true
    const entries = Object.entries(object).map(([key, item]) => {
      const redacted = [this.text(key), this.#redacted(item, depth + 1)] as const
      isSame &&= redacted[0] === key && Object.is(redacted[1], item)
      return redacted
    })
    return isSame ? object : Object.fromEntries(entries)
  }
}

class BothRedactors implements Redactor {
  readonly #lasting: Redactor
  readonly #passing: Redactor

  constructor(lasting: Redactor, passing: Redactor) {
    this.#lasting = lasting
    this.#passing = passing
  }

  add(secret: string): void {
    this.#lasting.add(secret)
  }

  also(secrets: readonly string[]): Redactor {
    return new BothRedactors(this.#lasting, this.#passing.also(secrets))
  }

  text(text: string): string {
    return this.#passing.text(this.#lasting.text(text))
  }

  value<Value>(value: Value): Value {
    return this.#passing.value(this.#lasting.value(value))
  }
}
