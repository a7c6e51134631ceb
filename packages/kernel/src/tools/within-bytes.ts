import { jsonBytes } from '../short-text.js'

interface Lists {
  readonly [name: string]: readonly unknown[]
}

/**
 * The fields and, of each list, as many first items as there is room for, so that all of it as JSON takes at most
 * `bytesMax`. What a short list does not need is left to the longer ones.
 */
export function withinBytes<Fields extends object, Cut extends Lists>(
  bytesMax: number,
  fields: Fields,
  lists: Cut,
): Fields & Cut {
  const names = Object.keys(lists).sort((one, other) => jsonBytes(lists[one]) - jsonBytes(lists[other]))
  const cut: { [name: string]: readonly unknown[] } = Object.fromEntries(names.map((name) => [name, []]))
  let room = bytesMax - jsonBytes({ ...fields, ...cut })
  for (const [index, name] of names.entries()) {
    const kept = fitting(lists[name]!, Math.floor(room / (names.length - index)))
    cut[name] = kept
    room -= jsonBytes(kept)
  }
  return { ...fields, ...(cut as Cut) }
}

function fitting(items: readonly unknown[], bytesMax: number): readonly unknown[] {
  let bytes = 0
  const end = items.findIndex((item) => {
    bytes += jsonBytes(item) + 1
    return bytes > bytesMax
  })
  return end < 0 ? items : items.slice(0, end)
}
