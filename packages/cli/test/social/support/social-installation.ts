import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore, type Store } from '@callboard/store'
import { onTestFinished } from 'vitest'
import { migrations } from '../../../../social/src/records/migrations.js'
import type { SocialSchema } from '../../../../social/src/records/schema.js'
import { Installation, untilSaid } from '../../support/installation.js'

export interface SocialInstallationOptions {
  /** The config file. */
  readonly config?: object
  /** Entries of the groups file. */
  readonly groups?: readonly object[]
  readonly variables?: Readonly<Record<string, string>>
  readonly atEnd?: (clean: () => Promise<void>) => void
}

/** An installation with the social worker, and its database at hand. */
export class SocialInstallation extends Installation {
  constructor({ config = {}, groups, variables, atEnd }: SocialInstallationOptions = {}) {
    super({ CALLBOARD_WORKERS: 'social', ...variables }, atEnd)
    mkdirSync(this.data, { recursive: true, mode: 0o700 })
    writeFileSync(join(this.data, 'callboard.config.json'), JSON.stringify(config))
    if (groups !== undefined) writeFileSync(join(this.data, 'groups.json'), JSON.stringify({ groups }))
  }

  get operatorSecret(): string {
    return readFileSync(join(this.data, 'operator.secret'), 'utf8').trim()
  }

  /** `callboard worker social`, signed in. */
  async social(): Promise<ReturnType<Installation['spawn']>> {
    const child = this.spawn(['worker', 'social'])
    await untilSaid(child, child.stderr, /signed in/)
    return child
  }

  /** The database of the social worker, which has been started before; open until `atEnd`, or the test's end. */
  async store(atEnd: (clean: () => Promise<void>) => void = onTestFinished): Promise<Store<SocialSchema>> {
    const store = await openStore<SocialSchema>({
      name: 'social',
      migrations,
      dataDirectory: this.data,
      durability: 'full',
      access: 'shared',
    })
    atEnd(() => store.close())
    return store
  }
}

/** What an answer of the social worker holds, or why it refused. */
export function envelopeIn(message: string | undefined): { readonly code?: string; readonly message?: string } {
  try {
    const [{ text }] = JSON.parse(message ?? '') as [{ text: string }]
    return JSON.parse(text).error
  } catch {
    return {}
  }
}
