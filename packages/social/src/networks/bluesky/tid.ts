const alphabet = '234567abcdefghijklmnopqrstuvwxyz'

/**
 * Timestamp identifiers: 53 bits of microseconds and 10 of chance in 13 characters that sort as they were made. Two processes
 * of one account differ by chance: 20 bits of it in each millisecond.
 */
export class TidSource {
  #last = 0n

  /** `now` UTC ms; `random` gives 0 to 1, 1 excluded. Greater than each one before, though the clock went back. */
  next(now: number, random: () => number): string {
    const wanted = BigInt(Math.max(0, Math.trunc(now))) * 1_000n + BigInt(Math.floor(random() * 1_000))
    const microseconds = wanted > this.#last ? wanted : this.#last + 1n
    this.#last = microseconds
    return textOf((microseconds << 10n) | BigInt(Math.floor(random() * 1_024)))
  }
}

/** The first character holds the sign bit, which is 0, and four others. */
export function isTid(text: string): boolean {
  return /^[234567abcdefghij][2-7a-z]{12}$/.test(text)
}

function textOf(value: bigint): string {
  let text = ''
  for (let rest = value, place = 0; place < 13; place++, rest >>= 5n) text = alphabet[Number(rest & 31n)]! + text
  return text
}
