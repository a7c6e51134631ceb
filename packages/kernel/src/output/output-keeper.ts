import type { RunRecords } from '../records/run-records.js'
import { RunOutput } from './run-output.js'
import type { RunSpool } from './run-spool.js'
import type { Spool } from './spool.js'
import type { StoredTexts } from './stored-output.js'

/** Where the output of runs is kept beyond the memory of their kernel: the rows of runs, and files. */
export class OutputKeeper {
  readonly #spool: Spool
  readonly #runs: RunRecords

  constructor(spool: Spool, runs: RunRecords) {
    this.#spool = spool
    this.#runs = runs
  }

  /** Of a run that begins; `onChange` after each piece. */
  open(owner: string, runId: number, onChange: () => void): RunOutput {
    return new RunOutput(onChange, this.#spool.run(owner, runId))
  }

  /** Of a run that ended long ago. */
  async recall(
    owner: string,
    runId: number,
  ): Promise<{ readonly row: StoredTexts; readonly spool: RunSpool } | undefined> {
    const row = await this.#runs.find(owner, runId)
    return row && { row, spool: this.#spool.run(owner, runId) }
  }

  /** An ended run has written more. */
  recordLate(owner: string, runId: number, { stdout, stderr, spool }: RunOutput): Promise<void> {
    return this.#runs.addLate(owner, runId, {
      stdout: stdout.read(),
      stderr: stderr.read(),
      stdoutBytes: stdout.totalBytes,
      stderrBytes: stderr.totalBytes,
      spool,
    })
  }

  /** Their rows are gone. */
  forget(folders: readonly string[]): Promise<void> {
    return this.#spool.forget(folders)
  }
}
