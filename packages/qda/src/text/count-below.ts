/** How many of the ascending numbers are less than `limit`. */
export function countBelow(ascending: ArrayLike<number>, limit: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! < limit) low = middle + 1
    else high = middle
  }
  return low
}
