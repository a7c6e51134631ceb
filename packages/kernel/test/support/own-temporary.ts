import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withEnvironment } from './sandbox.js'

/** A temporary directory that nobody else makes files in, for this process and what it starts, until disposed. */
export async function ownTemporary(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'cb-'))
  const environment = withEnvironment({ TMPDIR: path })
  return {
    path,
    async [Symbol.asyncDispose]() {
      environment[Symbol.dispose]()
      await rm(path, { recursive: true, force: true })
    },
  }
}
