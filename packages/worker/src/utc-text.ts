/** ISO 8601, of UTC ms. */
export function utcText(time: number): string {
  return new Date(time).toISOString()
}
