import { createHash } from 'node:crypto'

/** Advisory locks live in one name space per database, shared with other programs: the first number keeps ours apart. */
const groups = { write: 0x43_42_00_01, owner: 0x43_42_00_02 } as const

/** The two int4 keys of a store's lock. Stores whose hashes meet would only wait for each other. */
export function advisoryKey(purpose: keyof typeof groups, schema: string): [group: number, key: number] {
  return [groups[purpose], createHash('sha256').update(schema).digest().readInt32BE(0)]
}
