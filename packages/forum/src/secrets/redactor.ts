/** Takes secrets out of whatever leaves the worker, by their value: also escaped as in JSON, or encoded as in a URL. */
export interface Redactor {
  /** From now on; a secret that is shorter than 4 characters is none. */
  add(secret: string): void
  /** This one, and for as long as it is held those secrets, too: of a call whose arguments nobody has looked at yet. */
  also(secrets: readonly string[]): Redactor
  text(text: string): string
  /** Keys and values at any depth; the value itself where there is nothing to take out. */
  value<Value>(value: Value): Value
}
