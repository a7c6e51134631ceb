import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '@callboard/store'
import type { TestLocation } from '@callboard/store/testing'
import type { Log } from '../../src/log.js'
import { migrations } from '../../src/records/migrations.js'
import type { ForumSchema } from '../../src/records/schema.js'

/** The worker's own database, as one of its processes has it open. */
export function openTestStore(location: TestLocation): Promise<Store<ForumSchema>> {
  return openStore<ForumSchema>({ name: 'forum', migrations, ...location, durability: 'normal', access: 'shared' })
}

/** A directory for SQLite, which goes with the test. */
export async function temporaryLocation(): Promise<TestLocation & AsyncDisposable> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'callboard-forum-'))
  return {
    dataDirectory,
    [Symbol.asyncDispose]: () => rm(dataDirectory, { recursive: true, force: true }),
  }
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
