import type { CodeRow } from './codes.js'

/** Of the original's own, well apart from each other. */
export const paletteColors = [
  '#F7D358',
  '#FAAC58',
  '#FA8258',
  '#F78181',
  '#F781F3',
  '#BE81F7',
  '#81BEF7',
  '#81F7F3',
] as const

/** `#RGB` or `#RRGGBB` as `#RRGGBB`, in capitals. Undefined: it is neither. */
export function colorOf(text: string): string | undefined {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1]
  if (digits === undefined) return undefined
  const all = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits
  return `#${all.toUpperCase()}`
}

/** The one of the palette that the fewest codes have; of several, the first. */
export function leastUsedColor(codes: readonly Pick<CodeRow, 'color'>[]): string {
  const uses = (color: string) => codes.filter((code) => code.color?.toUpperCase() === color).length
  return paletteColors.reduce((best, color) => (uses(color) < uses(best) ? color : best))
}

/** What to know about a colour that is stored. */
export function colorWarnings(color: string): readonly string[] {
  if (paletteColors.some((known) => known === color)) return []
  return [
    `${color} is stored, but QualCoder's filter by colour may fail on it; sure to work: ${paletteColors.join(' ')}`,
  ]
}
