/** Counts what a run found, and says it line by line. */
export class Report {
  #passed = 0
  #failed = 0

  /** What `work` throws fails this step alone. Resolves with whether it passed. */
  async step(what: string, work: () => Promise<void> | void): Promise<boolean> {
    const startedAt = performance.now()
    try {
      await work()
      this.#passed++
      process.stdout.write(`  ✓ ${what} (${Math.round(performance.now() - startedAt)} ms)\n`)
      return true
    } catch (error) {
      this.#failed++
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
      process.stdout.write(`  ✗ ${what}\n${reason.replace(/^/gm, '    ')}\n`)
      return false
    }
  }

  /** The last line of the run. Returns the exit code. */
  end(): number {
    process.stdout.write(`deploy: ${this.#passed} passed, ${this.#failed} failed\n`)
    return this.#failed === 0 && this.#passed > 0 ? 0 : 1
  }
}
