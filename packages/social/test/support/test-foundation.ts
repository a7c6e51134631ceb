import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@callboard/store'
import type { TestLocation } from '@callboard/store/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { parseSocialConfig } from '../../src/config.js'
import type { Foundation } from '../../src/foundation.js'
import type { Log } from '../../src/log.js'
import { migrations } from '../../src/records/migrations.js'
import type { SocialSchema } from '../../src/records/schema.js'
import { withAccounts } from './test-config.js'

export interface TestFoundation extends Foundation, AsyncDisposable {
  readonly clock: VirtualClock
  readonly logged: readonly { readonly level: string; readonly details: object; readonly message: string }[]
}

export interface TestFoundationOptions {
  /** Section `social`; networks that it switches on need no account. */
  readonly config?: object
  readonly clock?: VirtualClock
  readonly location?: TestLocation
  /** Seeded unless given. */
  readonly random?: () => number
}

/** A real database (SQLite in a directory of its own unless told otherwise) and a virtual clock. */
export async function openTestFoundation(options: TestFoundationOptions = {}): Promise<TestFoundation> {
  const { config = {}, clock = new VirtualClock(), location, random = seeded(1) } = options
  const own = location ?? { dataDirectory: await mkdtemp(join(tmpdir(), 'callboard-social-')) }
  const store = await openStore<SocialSchema>({
    name: 'social',
    migrations,
    ...own,
    durability: 'normal',
    access: 'shared',
  })
  const logged: { level: string; details: object; message: string }[] = []
  return {
    config: parseSocialConfig(withAccounts({ ...config })),
    store,
    clock,
    random,
    log: testLog(logged),
    logged,
    async [Symbol.asyncDispose]() {
      await store.close()
      if (location === undefined) await rm(own.dataDirectory, { recursive: true, force: true })
    },
  }
}

/** mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function testLog(logged: { level: string; details: object; message: string }[]): Log {
  const at = (level: string) => (details: object, message: string) => void logged.push({ level, details, message })
  return { info: at('info'), warn: at('warn'), error: at('error') }
}
