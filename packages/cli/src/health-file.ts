import { rmSync, writeFileSync } from 'node:fs'
import type { Worker } from '@callboard/worker'
import * as limits from './limits.js'
import { UsageError } from './usage-error.js'

/**
 * Keeps a file whose time of change says that the worker is well: it is written anew every `healthBeatMs` while the worker is
 * signed in, by its event loop, and is gone while it is not. For health checks of a supervisor that sees files only.
 *
 * @throws UsageError when the file can't be written
 */
export function keepHealthFile(worker: Pick<Worker, 'onConnection'>, path: string): void {
  try {
    writeFileSync(path, '')
    // Of whoever was here before: this worker has yet to sign in.
    rmSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`CALLBOARD_HEALTH_FILE: ${path} can't be written (${code}).`)
  }
  let beating: NodeJS.Timeout | undefined
  worker.onConnection((state) => {
    clearInterval(beating)
    if (state !== 'ready') {
      rmSync(path, { force: true })
      return
    }
    beat(path)
    beating = setInterval(beat, limits.healthBeatMs, path).unref()
  })
}

/** What can't be written grows old, and that is what the check looks for. */
function beat(path: string): void {
  try {
    writeFileSync(path, '')
  } catch {}
}
