import { InvalidArgumentError } from 'commander'

/** The number of an item, as `callboard approvals` lists it. */
export function itemId(text: string): number {
  const id = Number(text)
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(id)) return id
  throw new InvalidArgumentError('It must be the number of an item, as "callboard approvals" lists it.')
}

/** For an argument that may be given many times; one that is given twice is meant once. */
export function itemIds(text: string, previous: readonly number[] = []): readonly number[] {
  return [...new Set([...previous, itemId(text)])]
}
