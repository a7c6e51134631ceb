/** Each round begins one further, and every other one goes backwards: nobody always comes after the same one. */
export function rotated<Item>(items: readonly Item[], round: number): Item[] {
  const start = items.length === 0 ? 0 : round % items.length
  const turned = [...items.slice(start), ...items.slice(0, start)]
  return round % 2 === 0 ? turned : turned.reverse()
}
