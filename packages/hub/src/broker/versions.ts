/**
 * Orders versions as semver does for what workers write: numbers by value, a pre-release before its release.
 * Anything else is compared as text, so that the order is at least total and stable.
 */
export function compareVersions(one: string, other: string): number {
  const [oneCore, onePre] = split(one)
  const [otherCore, otherPre] = split(other)
  const core = compareParts(oneCore, otherCore)
  if (core !== 0) return core
  if (onePre === undefined || otherPre === undefined) {
    return (onePre === undefined ? 1 : 0) - (otherPre === undefined ? 1 : 0)
  }
  return compareParts(onePre, otherPre)
}

function split(version: string): [string, string | undefined] {
  const plain = version.split('+', 1)[0]!
  const dash = plain.indexOf('-')
  return dash < 0 ? [plain, undefined] : [plain.slice(0, dash), plain.slice(dash + 1)]
}

function compareParts(one: string, other: string): number {
  const left = one.split('.')
  const right = other.split('.')
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const order = comparePart(left[index], right[index])
    if (order !== 0) return order
  }
  return 0
}

function comparePart(one = '', other = ''): number {
  const [oneIsNumber, otherIsNumber] = [one, other].map((part) => /^\d+$/.test(part))
  if (oneIsNumber && otherIsNumber) return Math.sign(Number(one) - Number(other))
  // As in semver a number comes before a word; by text alone the order would run in circles (9, 10, 1a, 9).
  if (oneIsNumber && other !== '') return -1
  if (otherIsNumber && one !== '') return 1
  return one < other ? -1 : one > other ? 1 : 0
}
