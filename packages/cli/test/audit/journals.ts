import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ChainFile } from '../../../hub/src/audit/chain-file.js'

/** A journal that the test writes, each batch of lines in a file of its own. */
export class Journal {
  readonly directory: string
  readonly #file: ChainFile
  #day = 0

  private constructor(directory: string, file: ChainFile) {
    this.directory = directory
    this.#file = file
  }

  static async begin({ keepFiles = 100 } = {}): Promise<Journal> {
    const directory = await mkdtemp(join(tmpdir(), 'cb-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const file = new ChainFile({ directory, fileBytes: 1, keepFiles })
    await file.open()
    onTestFinished(() => file.close())
    return new Journal(directory, file)
  }

  /** Calls of tools by these names. */
  async calls(...tools: string[]): Promise<void> {
    const at = Date.UTC(2027, 0, 1 + this.#day++)
    const line = (tool: string) => ({ at: new Date(at).toISOString(), kind: 'call', principal: 'agent:ada', tool })
    await this.#file.append(
      tools.map((tool) => JSON.stringify({ ...line(tool), outcome: 'result', durationMs: 1 }).slice(1, -1)),
      at,
    )
  }

  path(serial: number): string {
    return join(this.directory, this.name(serial))
  }

  name(serial: number): string {
    return `audit-${String(serial).padStart(8, '0')}.jsonl`
  }
}
