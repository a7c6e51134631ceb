import { describe, expect, it } from 'vitest'
import { barChart, lineChart, seriesMax } from '../chart.js'
import { evenTicks, logTicks } from '../chart-ticks.js'

const hostile = `<script>alert("1 & 2")</script>\u0000\ud800'`

describe('barChart', () => {
  const chart = barChart({
    title: 'Hub CPU per call',
    unit: 'µs',
    bars: [
      { label: 'callboard', value: 12.34, note: 'trusted' },
      { label: 'proxy', value: 49.36 },
    ],
  })

  it('is well-formed', () => expect(openElements(chart)).toEqual([]))

  it('has bars in proportion to their values', () => {
    const [short, long] = numbersOf(chart, /<rect class="s0"[^>]* width="([\d.]+)"/g)
    expect(long! / short!).toBeCloseTo(4, 2)
  })

  it('tells those who do not see it everything', () => {
    expect(chart).toContain('<title id="title">Hub CPU per call</title>')
    expect(chart).toContain('<desc id="description">callboard: 12.3 µs (trusted); proxy: 49.4 µs</desc>')
    expect(chart).toContain('role="img" aria-labelledby="title description"')
  })

  it('has colours for dark ground', () => expect(chart).toContain('@media (prefers-color-scheme:dark)'))

  it('takes any text as text', () => {
    const bars = [{ label: hostile, value: 1, note: hostile }]
    const drawn = barChart({ title: hostile, unit: hostile, bars })
    expect(openElements(drawn)).toEqual([])
    expect(drawn).not.toContain('<script')
    expect(drawn).not.toMatch(/\p{Cs}|\0/u)
    expect(drawn).toContain('&#60;script&#62;alert(&#34;1 &#38; 2&#34;)&#60;/script&#62;&#39;')
  })

  it('stays within its width, however long labels are', () => {
    const drawn = barChart({ title: 'a', unit: 'b', bars: [{ label: 'x'.repeat(200), value: 5 }] })
    const [left] = numbersOf(drawn, /<rect class="s0" x="([\d.]+)"/g)
    const [length] = numbersOf(drawn, /<rect class="s0"[^>]* width="([\d.]+)"/g)
    expect(left! + length!).toBeLessThan(760)
  })

  it('draws nothing but zeros, and nothing at all', () => {
    expect(barChart({ title: 'a', unit: 'b', bars: [{ label: 'none', value: 0 }] })).not.toContain('NaN')
    expect(barChart({ title: 'a', unit: 'b', bars: [] })).not.toMatch(/NaN|Infinity/)
  })

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses %d', (value) => {
    expect(() => barChart({ title: 'a', unit: 'b', bars: [{ label: 'odd', value }] })).toThrow('the value of odd')
  })
})

describe('lineChart', () => {
  const chart = lineChart({
    title: 'CPU per call by tools',
    x: { label: 'tools', log: true },
    y: { label: 'µs' },
    series: [
      {
        name: 'trusted',
        points: [
          [10, 20],
          [1000, 20],
          [100, 10],
        ],
      },
      {
        name: hostile,
        points: [
          [10, 5],
          [1000, 5],
        ],
      },
    ],
  })

  it('is well-formed', () => expect(openElements(chart)).toEqual([]))

  it('draws a line in order of x, equal factors as equal steps', () => {
    const [, points] = /<polyline class="l0" points="([^"]+)"/.exec(chart)!
    const [[x1, y1], [x2, y2], [x3, y3]] = points!.split(' ').map((point) => point.split(',').map(Number)) as Places
    expect(x2 - x1).toBeCloseTo(x3 - x2, 1)
    expect(y1).toBe(y3)
    expect(y2).toBeGreaterThan(y1)
  })

  it('names its lines, but not the only one', () => {
    const alone = lineChart({
      title: 'a',
      x: { label: 'b' },
      y: { label: 'c' },
      series: [
        {
          name: 'only',
          points: [
            [0, 0],
            [5, 1],
          ],
        },
      ],
    })
    expect(chart).toContain('>trusted</text>')
    expect(alone).not.toContain('>only</text>')
  })

  it('tells those who do not see it everything', () => {
    expect(chart).toContain('Across: tools. Up: µs. trusted: 10 → 20, 100 → 10, 1,000 → 20.')
  })

  it('draws a single point, zeros, and nothing', () => {
    for (const points of [[[7, 0]], []] as [number, number][][])
      for (const log of [true, false]) {
        const drawn = lineChart({
          title: 'a',
          x: { label: 'b', log },
          y: { label: 'c' },
          series: [{ name: 'd', points }],
        })
        expect(drawn).not.toMatch(/NaN|Infinity/)
      }
  })

  it('refuses what its axes have no place for', () => {
    const of =
      (point: [number, number], count = 1) =>
      () =>
        lineChart({
          title: 'a',
          x: { label: 'b', log: true },
          y: { label: 'c' },
          series: Array.from({ length: count }, () => ({ name: 'd', points: [point] })),
        })
    expect(of([0, 1])).toThrow(RangeError)
    expect(of([1, -1])).toThrow(RangeError)
    expect(of([1, Number.NaN])).toThrow(RangeError)
    expect(of([1, 1], seriesMax + 1)).toThrow(`${seriesMax + 1} series`)
  })
})

describe('ticks', () => {
  it.each([
    [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0, 37, [0, 10, 20, 30, 40]],
    [0, 0.3, [0, 0.1, 0.2, 0.3]],
    [0, 2000, [0, 500, 1000, 1500, 2000]],
  ])('from %d to %d', (low, high, ticks) => expect(evenTicks(low, high)).toEqual(ticks))

  it('of factors: what was measured, where that is little', () => {
    expect(logTicks([100, 10, 10])).toEqual([10, 100])
    expect(logTicks(Array.from({ length: 50 }, (_, index) => index + 2))).toEqual([1, 10, 100])
  })
})

type Places = [[number, number], [number, number], [number, number]]

/** Names of elements that are open at the end, or were closed without being open. */
function openElements(svg: string): string[] {
  const open: string[] = []
  for (const [, close, name, self] of svg.matchAll(/<(\/?)([a-z]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/gi)) {
    if (self === '/') continue
    if (close === '') open.push(name!)
    else if (open.at(-1) === name) open.pop()
    else open.push(`/${name}`)
  }
  // What is left beside elements has no character with a meaning.
  const rest = svg.replace(/<(\/?)([a-z]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/gi, '').replace(/&#\d+;/g, '')
  return /[<&]/.test(rest) ? [...open, rest] : open
}

function numbersOf(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map(([, number]) => Number(number))
}
