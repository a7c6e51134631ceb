import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestLocation } from '@callboard/store/testing'
import { onTestFinished } from 'vitest'

/** A SQLite database of its own, until the test ends. Ask for it before any process that uses it. */
export async function temporaryLocation(): Promise<TestLocation> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'callboard-social-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  return { dataDirectory }
}
