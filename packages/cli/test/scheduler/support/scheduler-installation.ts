import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStore, type Store } from '@callboard/store'
import type { TestLocation } from '@callboard/store/testing'
import { onTestFinished, vi } from 'vitest'
import { migrations } from '../../../../scheduler/src/records/migrations.js'
import type { SchedulerSchema } from '../../../../scheduler/src/records/schema.js'
import { binary, Installation, untilSaid } from '../../support/installation.js'

/** A runner of the groups file: a program in `../programs`, which is told where the command line is. */
export function commandOf(program: string) {
  const file = fileURLToPath(new URL(`../programs/${program}.mjs`, import.meta.url))
  return { kind: 'command', argv: [process.execPath, file, binary] }
}

/** Short, so that no test waits for half a minute where it need not. */
const leaseMs = 3_000

export interface SchedulerInstallationOptions {
  /** Entries of the groups file. */
  readonly groups: readonly object[]
  /** Section `scheduler`. */
  readonly config?: object
  readonly variables?: Readonly<Record<string, string>>
  readonly location?: TestLocation
}

/** An installation with groups and a short lease, and its database at hand. */
export class SchedulerInstallation extends Installation {
  constructor({ groups, config, variables, location }: SchedulerInstallationOptions) {
    super({
      CALLBOARD_WORKERS: 'scheduler',
      ...(location?.databaseUrl !== undefined && { DATABASE_URL: location.databaseUrl }),
      ...variables,
    })
    mkdirSync(this.data, { recursive: true, mode: 0o700 })
    writeFileSync(join(this.data, 'groups.json'), JSON.stringify({ groups }))
    const scheduler = { lease_ms: leaseMs, min_interval_ms: 1_000, ...config }
    writeFileSync(join(this.data, 'callboard.config.json'), JSON.stringify({ scheduler }))
  }

  /** `callboard worker scheduler`, signed in. */
  async scheduler(variables: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
    const child = this.spawn(['worker', 'scheduler'], variables)
    await untilSaid(child, child.stderr, /signed in/)
    return child
  }

  /** The database of the schedulers; open until the test ends. */
  async store(): Promise<Store<SchedulerSchema>> {
    const databaseUrl = this.environment['DATABASE_URL']
    const store = await openStore<SchedulerSchema>({
      name: 'scheduler',
      migrations,
      dataDirectory: this.data,
      ...(databaseUrl !== undefined && { databaseUrl }),
      durability: 'full',
      access: 'shared',
    })
    onTestFinished(() => store.close())
    return store
  }

  /** A file in the directory of a group. */
  path(group: string, file: string): string {
    return join(this.data, 'groups', group, file)
  }

  /** What a program has written there as JSON, when it has. */
  read<T>(group: string, file: string): Promise<T> {
    const path = this.path(group, file)
    return vi.waitFor(() => JSON.parse(readFileSync(path, 'utf8')) as T, { timeout: 30_000, interval: 50 })
  }

  has(group: string, file: string): boolean {
    return existsSync(this.path(group, file))
  }
}

/** When `once` may be due: whole seconds, far enough for the call that asks for it. */
export function soon(ms = 2_000): { readonly schedule_value: string; readonly timezone: string } {
  return { schedule_value: new Date(Date.now() + ms).toISOString().slice(0, 19), timezone: 'UTC' }
}
