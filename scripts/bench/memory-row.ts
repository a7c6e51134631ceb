import type { Row } from './scale-experiment.js'

/** What one more takes in memory: from the smallest to the largest of `[how many, bytes in use after a collection]`. */
export function memoryRow(one: string, heaps: readonly (readonly [count: number, bytes: number])[]): Row {
  const [[least, before], [most, after]] = [heaps[0]!, heaps.at(-1)!]
  return { what: `memory of one ${one}`, count: most, figures: { KiB: (after - before) / (most - least) / 1024 } }
}
