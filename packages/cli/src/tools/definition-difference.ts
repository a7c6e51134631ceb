import { comparedLinesMax } from './limits.js'

/** A step of a comparison; `path` is empty where it is that of the line before. */
export interface Difference {
  readonly mark: '-' | '+' | ' '
  readonly path: string
  readonly text: string
}

/** What is other in the second of two JSON objects: member by member, texts line by line and sentence by sentence. */
export function differences(before: unknown, after: unknown, path = ''): readonly Difference[] {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return keys.flatMap((key) => differences(own(before, key), own(after, key), pathOf(path, key)))
  }
  if (typeof before === 'string' && typeof after === 'string') {
    return before === after ? [] : underPath(path, textLines(before, after))
  }
  if (canonical(before) === canonical(after)) return []
  return underPath(path, [...valueLines('-', before), ...valueLines('+', after)])
}

type Line = Pick<Difference, 'mark' | 'text'>

function underPath(path: string, lines: readonly Line[]): Difference[] {
  return lines.map((line, index) => ({ ...line, path: index === 0 ? path : '' }))
}

function valueLines(mark: '-' | '+', value: unknown): Line[] {
  if (value === undefined) return []
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.split('\n').map((line) => ({ mark, text: line }))
}

/** What differs only between sentences shows in none of them. */
function textLines(before: string, after: string): Line[] {
  const lines = linesOf(before, after)
  const differ = lines.some(({ mark }) => mark !== ' ')
  return differ ? lines : [...valueLines('-', before), ...valueLines('+', after)]
}

/** The longest common subsequence of sentences; of texts that are too long for that what is between their equal ends. */
function linesOf(before: string, after: string): Line[] {
  const [one, other] = [sentences(before), sentences(after)]
  let start = 0
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start++
  let end = 0
  const room = Math.min(one.length, other.length) - start
  while (end < room && one[one.length - 1 - end] === other[other.length - 1 - end]) end++
  return [
    ...one.slice(0, start).map((text) => ({ mark: ' ', text }) as const),
    ...betweenLines(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...one.slice(one.length - end).map((text) => ({ mark: ' ', text }) as const),
  ]
}

function betweenLines(one: readonly string[], other: readonly string[]): Line[] {
  const isLong = one.length > comparedLinesMax || other.length > comparedLinesMax
  const common = isLong ? undefined : commonLengths(one, other)
  const lines: Line[] = []
  let [row, column] = [0, 0]
  while (common !== undefined && row < one.length && column < other.length) {
    if (one[row] === other[column]) {
      lines.push({ mark: ' ', text: one[row]! })
      row++
      column++
    } else if (common[row + 1]![column]! >= common[row]![column + 1]!) lines.push({ mark: '-', text: one[row++]! })
    else lines.push({ mark: '+', text: other[column++]! })
  }
  return [
    ...lines,
    ...one.slice(row).map((text) => ({ mark: '-', text }) as const),
    ...other.slice(column).map((text) => ({ mark: '+', text }) as const),
  ]
}

/** By row and column: how much the rests have in common. */
function commonLengths(one: readonly string[], other: readonly string[]): number[][] {
  const table = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0))
  for (let row = one.length - 1; row >= 0; row--) {
    for (let column = other.length - 1; column >= 0; column--) {
      const [below, right] = [table[row + 1]![column]!, table[row]![column + 1]!]
      table[row]![column] = one[row] === other[column] ? table[row + 1]![column + 1]! + 1 : Math.max(below, right)
    }
  }
  return table
}

const sentences = (text: string): string[] => text.split(/\n|(?<=[.!?;:]) +/)

/** The order of keys means nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort()) : each,
  )
}

const pathOf = (path: string, key: string): string => {
  const step = /^[A-Za-z_$][\w$-]*$/.test(key) ? key : JSON.stringify(key)
  return path === '' ? step : `${path}.${step}`
}

const own = (object: { readonly [key: string]: unknown }, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
