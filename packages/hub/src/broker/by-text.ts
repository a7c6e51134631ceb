/** By code unit: the same on every machine, whatever its locale. */
export const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
