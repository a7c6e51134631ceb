/** What the unfinished lines of many connections may hold together. */
export class LineBudget {
  #left: number

  constructor(bytesMax: number) {
    this.#left = bytesMax
  }

  /** False, and nothing is taken, when so much is not left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  give(bytes: number): void {
    this.#left += bytes
  }
}
