/** From `low` to `high` or a little beyond, in steps of 1, 2 or 5 times a power of ten. */
export function evenTicks(low: number, high: number): number[] {
  const rough = (high - low) / stepsWanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough)!
  const count = Math.ceil((high - low) / step - tiny)
  return Array.from({ length: count + 1 }, (_, index) => Number((low + index * step).toPrecision(12)))
}

/** What was measured, where that is little; else powers of ten around it. */
export function logTicks(values: readonly number[]): number[] {
  const different = [...new Set(values)].toSorted((one, other) => one - other)
  if (different.length === 0) return [1, 10]
  if (different.length <= valuesShown) return different
  const first = Math.floor(Math.log10(different[0]!) + tiny)
  const last = Math.ceil(Math.log10(different.at(-1)!) - tiny)
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index))
}

const stepsWanted = 5
const valuesShown = 8
/** Sums of tenths are never exact. */
const tiny = 1e-9
