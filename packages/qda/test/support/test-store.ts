import { openStore, type Store } from '@callboard/store'
import type { TestLocation } from '@callboard/store/testing'
import { migrations } from '../../src/records/migrations.js'
import type { QdaSchema } from '../../src/records/schema.js'

/** The worker's own database. */
export function openTestStore(location: TestLocation): Promise<Store<QdaSchema>> {
  return openStore<QdaSchema>({ name: 'qda', migrations, ...location, durability: 'normal' })
}
