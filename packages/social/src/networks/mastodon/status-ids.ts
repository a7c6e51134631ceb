/** Ids grow with time, and are compared as they are written: they are longer than a number can hold. */
export function compareIds(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length
  return one < other ? -1 : one > other ? 1 : 0
}

/** The greatest of them; undefined of none. */
export function newestId(ids: readonly (string | undefined)[]): string | undefined {
  return ids.reduce((newest, id) => {
    if (id === undefined) return newest
    return newest === undefined || compareIds(id, newest) > 0 ? id : newest
  }, undefined)
}
