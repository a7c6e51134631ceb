import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { pythonApiBytesMax, pythonApiMs } from '../limits.js'
import { childEnvironment } from '../runtime/child-environment.js'

const schema = z.object({
  about: z.string(),
  entries: z.array(
    z.object({
      name: z.string(),
      subject: z.string(),
      kind: z.enum(['function', 'class', 'exception']),
      /** e.g. `tempo(bpm=None)`; with `await` before it where the call is to be awaited. */
      signature: z.string(),
      doc: z.string(),
      methods: z.array(z.object({ signature: z.string(), doc: z.string() })),
    }),
  ),
})

/** What the Python module `vibeweaver` offers, as Python itself tells it. */
export type PythonApi = z.output<typeof schema>
export type PythonApiEntry = PythonApi['entries'][number]

const describer = fileURLToPath(new URL('../../python/describe.py', import.meta.url))

/** Asks a Python process that ends at once, so that help starts no kernel; once per worker. */
export class PythonApiReader {
  readonly #python: string
  #reading: Promise<PythonApi | undefined> | undefined

  constructor(python: string) {
    this.#python = python
  }

  /** Undefined while there is no Python here that can tell; the next call tries again. */
  read(): Promise<PythonApi | undefined> {
    this.#reading ??= describe(this.#python).then((api) => {
      if (api === undefined) this.#reading = undefined
      return api
    })
    return this.#reading
  }
}

function describe(python: string): Promise<PythonApi | undefined> {
  const options = {
    env: childEnvironment(),
    timeout: pythonApiMs,
    killSignal: 'SIGKILL' as const,
    maxBuffer: pythonApiBytesMax,
  }
  return new Promise((resolve) => {
    const child = execFile(python, ['-X', 'utf8', describer], options, (error, text) =>
      resolve(error ? undefined : parse(text)),
    )
    child.stdin?.end()
  })
}

function parse(text: string): PythonApi | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
