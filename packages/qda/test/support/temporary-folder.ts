import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new folder that goes with the test; no link is in its path. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'qda-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
