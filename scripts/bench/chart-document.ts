/** Elements, ready to stand in an SVG document. */
export type Drawing = readonly string[]

export interface ChartDocument {
  readonly title: string
  readonly subtitle: string
  /** All that the picture says, for those who don't see it. */
  readonly description: string
  readonly size: { readonly width: number; readonly height: number }
  readonly drawing: Drawing
}

/** It has its own ground: a page may be dark where the reader's system is light, and an `<img>` follows the system. */
export function chartDocument({ title, subtitle, description, size, drawing }: ChartDocument): string {
  const { width, height } = size
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title description" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    `<text class="title" x="16" y="28">${escaped(title)}</text>`,
    `<text class="quiet" x="16" y="48">${escaped(subtitle)}</text>`,
    ...drawing,
    '</svg>',
    '',
  ].join('\n')
}

export interface TextPlace {
  readonly x: number
  readonly y: number
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly isQuiet?: boolean
  /** Goes on behind it, less loud. */
  readonly quiet?: string
}

export function inkedText(text: string, { x, y, anchor = 'start', isQuiet = false, quiet = '' }: TextPlace): string {
  const tail = quiet === '' ? '' : `<tspan class="quiet" xml:space="preserve">${escaped(quiet)}</tspan>`
  const place = `x="${Number(x.toFixed(2))}" y="${Number(y.toFixed(2))}" text-anchor="${anchor}"`
  return `<text${isQuiet ? ' class="quiet"' : ''} ${place}>${escaped(text)}${tail}</text>`
}

export function tooltip(text: string): string {
  return `<title>${escaped(text)}</title>`
}

/** Three digits are all that a measurement has; whole numbers keep theirs. */
export function numberText(value: number): string {
  const digits = value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 }
  return new Intl.NumberFormat('en-US', digits).format(value)
}

/** About, in px: the font is the reader's. */
export function textWidth(text: string): number {
  return Math.ceil([...text].length * 7.2)
}

/** Characters that XML has no form for are left out: one label must not make the picture unreadable. */
function escaped(text: string): string {
  return text
    .replace(/[\p{Cs}\p{Cc}\ufffe\uffff]/gu, '')
    .replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}

/** Six hues that stay apart for the colour-blind, each in a tone for light ground and one for dark. */
const tones = [
  ['#2a6fdb', '#6ea8ff'],
  ['#d9631e', '#f49a5e'],
  ['#16866b', '#4cc3a3'],
  ['#b3388f', '#ea80c8'],
  ['#8a6d00', '#d8b93c'],
  ['#5b5fc7', '#a5a8f5'],
] as const

const colours = (tone: 0 | 1) =>
  tones
    .map((pair, index) => `.s${index}{fill:${pair[tone]}}.l${index}{fill:none;stroke:${pair[tone]};stroke-width:2}`)
    .join('')
const light = `.ground{fill:#fff}text{fill:#1f2328}.quiet{fill:#59636e}.grid{stroke:#d9dee3}${colours(0)}`
const dark = `.ground{fill:#0d1117}text{fill:#f0f6fc}.quiet{fill:#9198a1}.grid{stroke:#30363d}${colours(1)}`
const style = `text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif}.title{font-size:15px;font-weight:600}${light}@media (prefers-color-scheme:dark){${dark}}`
