import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@callboard/store'
import type { TestLocation } from '@callboard/store/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { parseSchedulerConfig } from '../../src/config.js'
import type { Foundation } from '../../src/foundation.js'
import type { Group, Groups } from '../../src/groups/group.js'
import { idMaker } from '../../src/ids.js'
import type { Log } from '../../src/log.js'
import { migrations } from '../../src/records/migrations.js'
import type { SchedulerSchema } from '../../src/records/schema.js'

export interface TestFoundation extends Foundation, AsyncDisposable {
  readonly clock: VirtualClock
  readonly logged: readonly { readonly level: string; readonly details: object; readonly message: string }[]
}

export interface TestFoundationOptions {
  /** Section `scheduler`. */
  readonly config?: object
  readonly groups?: readonly Partial<Group>[]
  readonly clock?: VirtualClock
  readonly timeZone?: string
  readonly location?: TestLocation
  /** Default: `normal`, since no test turns the power off. */
  readonly durability?: 'full' | 'normal'
  /** Seed of ids and of whatever else asks for chance. */
  readonly random?: () => number
}

/** A real database (SQLite in a directory of its own unless told otherwise), a virtual clock, two groups: main and lab. */
export async function openTestFoundation(options: TestFoundationOptions = {}): Promise<TestFoundation> {
  const { config = {}, clock = new VirtualClock(), timeZone = 'Europe/Paris', location, random = seeded(1) } = options
  const own = location ?? { dataDirectory: await mkdtemp(join(tmpdir(), 'callboard-scheduler-')) }
  const store = await openStore<SchedulerSchema>({
    name: 'scheduler',
    migrations,
    ...own,
    durability: options.durability ?? 'normal',
    access: 'shared',
  })
  const groups = testGroups(options.groups ?? [{ folder: 'main', isAdmin: true }, { folder: 'lab' }])
  for (const { folder, tag, name, isAdmin } of groups.all) {
    const row = { folder, tag, name, is_admin: isAdmin ? (1 as const) : (0 as const), removed_at: null }
    await store.db
      .insertInto('groups')
      .values(row)
      .onConflict((same) => same.column('folder').doNothing())
      .execute()
  }
  const logged: { level: string; details: object; message: string }[] = []
  return {
    config: parseSchedulerConfig(config),
    store,
    clock,
    newId: idMaker(clock, random),
    groups,
    log: testLog(logged),
    timeZone,
    logged,
    async [Symbol.asyncDispose]() {
      await store.close()
      if (location === undefined) await rm(own.dataDirectory, { recursive: true, force: true })
    },
  }
}

export function testGroups(entries: readonly Partial<Group>[]): Groups {
  const all = entries.map((entry): Group => {
    const folder = entry.folder ?? 'main'
    return { tag: folder, name: folder, isAdmin: false, envAllow: [], ...entry, folder }
  })
  return {
    all,
    get admin() {
      return all.find(({ isAdmin }) => isAdmin)!
    },
    byFolder: (folder) => all.find((group) => group.folder === folder),
    byTag: (tag) => all.find((group) => group.tag === tag.toLowerCase()),
    directoryOf: async ({ folder }) => join(tmpdir(), folder),
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
