import { createHash } from 'node:crypto'
import { storable } from '@callboard/store'
import { knownProjectsMax, pathLengthMax, recordNameLengthMax } from '../limits.js'
import type { Database } from './schema.js'

export interface KnownProject {
  readonly path: string
  readonly uid: string
  readonly name: string
}

/** The same path again: as it is now. `now`: UTC ms. */
export async function rememberProject(db: Database, { path, uid, name }: KnownProject, now: number): Promise<void> {
  const values = {
    uid: storable(uid, recordNameLengthMax),
    name: storable(name, recordNameLengthMax),
    last_opened_at: now,
  }
  await db
    .insertInto('projects')
    .values({ key: projectKey(path), path: storedPath(path), ...values })
    .onConflict((same) => same.column('key').doUpdateSet(values))
    .execute()
}

/** The last opened ones first. */
export async function knownProjects(db: Database): Promise<readonly KnownProject[]> {
  return await db
    .selectFrom('projects')
    .select(['path', 'uid', 'name'])
    .orderBy('last_opened_at', 'desc')
    .orderBy('key')
    .limit(knownProjectsMax)
    .execute()
}

/** As it is shown: what a database can't hold is replaced in it. */
export function storedPath(path: string): string {
  return storable(path, pathLengthMax)
}

/** Two paths that are stored alike have one key. */
export function projectKey(path: string): string {
  return createHash('sha256').update(storedPath(path)).digest('hex')
}
