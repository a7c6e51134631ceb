import { chartDocument, type Drawing, inkedText, numberText, textWidth, tooltip } from './chart-document.js'
import { evenTicks, logTicks } from './chart-ticks.js'

export interface Bar {
  readonly label: string
  /** Zero or more. */
  readonly value: number
  /** Stands behind the value, less loud. */
  readonly note?: string
}

export interface BarChart {
  readonly title: string
  /** Of all values; stands beneath the title. */
  readonly unit: string
  /** From the top down. */
  readonly bars: readonly Bar[]
}

export interface Series {
  readonly name: string
  /** `[x, y]`, drawn in order of x. */
  readonly points: readonly (readonly [x: number, y: number])[]
}

export interface LineChart {
  readonly title: string
  /** `log`: equal steps are equal factors; every x must be above zero then. */
  readonly x: { readonly label: string; readonly log?: boolean }
  /** Begins at zero. */
  readonly y: { readonly label: string }
  /** At most {@link seriesMax}: as many colours as are told apart. */
  readonly series: readonly Series[]
}

export const seriesMax = 6

/** An SVG document: horizontal bars on one scale from zero. @throws RangeError for a value that no bar can show */
export function barChart({ title, unit, bars }: BarChart): string {
  for (const { label, value } of bars) requireNumber(value, value >= 0, `the value of ${label}`)
  const barsLeft = Math.min(280, 28 + Math.max(0, ...bars.map(({ label }) => textWidth(label))))
  const tails = bars.map(({ value, note }) => textWidth(`${numberText(value)}  ${note ?? ''}`))
  const room = Math.max(120, width - edge - 8 - barsLeft - Math.max(0, ...tails))
  const longest = Math.max(...bars.map(({ value }) => value), 0) || 1
  const rows = bars.flatMap(({ label, value, note }, index) => {
    const top = headHeight + index * rowHeight
    const length = Math.max(1, (value / longest) * room)
    const noteText = note === undefined ? '' : `  ${note}`
    return [
      inkedText(label, { x: barsLeft - 10, y: top + 16, anchor: 'end' }),
      `<rect class="s0" x="${barsLeft}" y="${top + 2}" width="${fixed(length)}" height="18" rx="3"/>`,
      inkedText(numberText(value), { x: barsLeft + length + 8, y: top + 16, quiet: noteText }),
    ]
  })
  return chartDocument({
    title,
    subtitle: unit,
    description: bars
      .map(
        ({ label, value, note }) => `${label}: ${numberText(value)} ${unit}${note === undefined ? '' : ` (${note})`}`,
      )
      .join('; '),
    size: { width, height: headHeight + bars.length * rowHeight + 16 },
    drawing: rows,
  })
}

/** An SVG document: lines with their points. @throws RangeError for what no axis can show */
export function lineChart({ title, x, y, series }: LineChart): string {
  if (series.length > seriesMax) throw new RangeError(`${series.length} series; at most ${seriesMax} are told apart`)
  const all = series.flatMap(({ points }) => points)
  for (const [px, py] of all) {
    requireNumber(px, x.log !== true || px > 0, `x = ${px}`)
    requireNumber(py, py >= 0, `y = ${py}`)
  }
  const xTicks = x.log === true ? logTicks(all.map(([px]) => px)) : evenTicks(0, Math.max(1, ...all.map(([px]) => px)))
  const yTicks = evenTicks(0, Math.max(...all.map(([, py]) => py), 0) || 1)
  const legendHeight = series.length > 1 ? 24 : 0
  const plot: Plot = {
    left: edge + 16 + Math.max(...yTicks.map((tick) => textWidth(numberText(tick)))),
    right: width - 32,
    top: headHeight + legendHeight + 4,
    bottom: lineHeight + legendHeight - 52,
    xScale: x.log === true ? Math.log : (value) => value,
    xs: [xTicks[0]!, xTicks.at(-1)!],
    yMax: yTicks.at(-1)!,
  }
  return chartDocument({
    title,
    subtitle: y.label,
    description: [
      `Across: ${x.label}. Up: ${y.label}.`,
      ...series.map(({ name, points }) => `${name}: ${sorted(points).map(pairText).join(', ')}.`),
    ].join(' '),
    size: { width, height: lineHeight + legendHeight },
    drawing: [
      ...legend(series),
      ...grid(plot, xTicks, yTicks),
      inkedText(x.label, { x: (plot.left + plot.right) / 2, y: plot.bottom + 40, anchor: 'middle', isQuiet: true }),
      ...series.flatMap((one, index) => line(plot, one, index)),
    ],
  })
}

const width = 760
const lineHeight = 380
const headHeight = 64
const rowHeight = 28
const edge = 16

interface Plot {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly xScale: (value: number) => number
  readonly xs: readonly [first: number, last: number]
  readonly yMax: number
}

/** One line needs no legend: the title says what it is. */
function legend(series: readonly Series[]): Drawing {
  if (series.length < 2) return []
  let x = edge
  return series.flatMap(({ name }, index) => {
    const at = x
    x += 34 + textWidth(name)
    const y = headHeight + 4
    return [`<circle class="s${index}" cx="${at + 6}" cy="${y - 4}" r="5"/>`, inkedText(name, { x: at + 16, y })]
  })
}

function grid(plot: Plot, xTicks: readonly number[], yTicks: readonly number[]): Drawing {
  const { left, right, bottom } = plot
  return [
    ...yTicks.flatMap((tick) => {
      const y = fixed(yAt(plot, tick))
      return [
        `<line class="grid" x1="${left}" y1="${y}" x2="${right}" y2="${y}"/>`,
        inkedText(numberText(tick), { x: left - 8, y: yAt(plot, tick) + 4, anchor: 'end', isQuiet: true }),
      ]
    }),
    ...xTicks.map((tick) =>
      inkedText(numberText(tick), { x: xAt(plot, tick), y: bottom + 20, anchor: 'middle', isQuiet: true }),
    ),
  ]
}

function line(plot: Plot, { name, points }: Series, index: number): Drawing {
  const places = sorted(points).map(([x, y]) => [fixed(xAt(plot, x)), fixed(yAt(plot, y)), pairText([x, y])] as const)
  const path = places.map(([x, y]) => `${x},${y}`).join(' ')
  return [
    `<polyline class="l${index}" points="${path}"/>`,
    ...places.map(
      ([x, y, text]) => `<circle class="s${index}" cx="${x}" cy="${y}" r="4">${tooltip(`${name} ${text}`)}</circle>`,
    ),
  ]
}

function xAt({ left, right, xScale, xs: [first, last] }: Plot, x: number): number {
  const span = xScale(last) - xScale(first)
  return span === 0 ? (left + right) / 2 : left + ((xScale(x) - xScale(first)) / span) * (right - left)
}

function yAt({ top, bottom, yMax }: Plot, y: number): number {
  return bottom - (y / yMax) * (bottom - top)
}

function requireNumber(value: number, isShown: boolean, what: string): void {
  if (!Number.isFinite(value) || !isShown) throw new RangeError(`${what} (${value}) is nothing that a chart can show`)
}

const sorted = (points: Series['points']) => points.toSorted(([one], [other]) => one - other)
const pairText = ([x, y]: readonly [number, number]) => `${numberText(x)} → ${numberText(y)}`
const fixed = (value: number) => `${Number(value.toFixed(2))}`
