/** ISO 8601, for replies. */
export function utcText(time: number): string {
  return new Date(time).toISOString()
}
