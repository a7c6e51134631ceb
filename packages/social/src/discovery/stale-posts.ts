import type { Database } from '../records/schema.js'
import { inputColumns } from './post-row.js'

/** Posts that were scored by other rules. In two parts: no index helps with "not equal". */
export function stalePosts(db: Database, version: string, limit: number) {
  return db
    .selectFrom('discovered_posts')
    .select(['id', ...inputColumns])
    .where((eb) => eb.or([eb('scoring_version', '<', version), eb('scoring_version', '>', version)]))
    .limit(limit)
}
