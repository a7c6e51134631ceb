import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import type { StoredService } from './broker/service-entry.js'

const format = z.object({
  version: z.literal(1),
  services: z.array(
    z.object({
      service: z.string(),
      version: z.string(),
      replicas: z.enum(['many', 'one']),
      affinity: z.enum(['none', 'session', 'principal']),
      lastSeenAt: z.number(),
      trusted: z.boolean(),
      key: z.string().optional(),
      definitions: z.record(z.string(), z.array(z.unknown())),
    }),
  ),
})

/** The last accepted catalogue, so that the tools are listed before their workers are back. */
export class CatalogueFile {
  readonly #path: string
  readonly #onError: (error: unknown) => void
  #next: readonly StoredService[] | undefined
  #writing: Promise<void> | undefined

  constructor(path: string, onError: (error: unknown) => void) {
    this.#path = path
    this.#onError = onError
  }

  /** Nothing, when there is no file or it can't be used: the workers will say it all again. */
  async read(): Promise<readonly StoredService[]> {
    try {
      const stored = format.parse(JSON.parse(await readFile(this.#path, 'utf8')))
      return stored.services as readonly StoredService[]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#onError(error)
      return []
    }
  }

  /** Writes in the background; of several catalogues in a row only the last matters. */
  keep(services: readonly StoredService[]): void {
    this.#next = services
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
  }

  async flush(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#next !== undefined) {
      const services = this.#next
      this.#next = undefined
      const draft = `${this.#path}.${process.pid}`
      try {
        await writeFile(draft, JSON.stringify({ version: 1, services }), { mode: 0o600 })
        await rename(draft, this.#path)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}
