import parse from 'parse-prometheus-text-format'

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/**
 * The values on a page of metrics by the names at which they stand, as a parser reads them that is not ours.
 * @throws for what is not the text format.
 */
export function parsedMetrics(page: string): ReadonlyMap<string, readonly Sample[]> {
  const found = new Map<string, Sample[]>()
  // It would make one histogram of those of all services: untyped, each value stands for itself.
  for (const { name, metrics } of parse(page.replace(/^(# TYPE \S+) histogram$/gm, '$1 untyped'))) {
    const samples = metrics.map(({ labels = {}, value }) => ({ labels, value: Number(value) }))
    found.set(name, [...(found.get(name) ?? []), ...samples])
  }
  return found
}

/** What a page says of the type of each family, in order. */
export function typesIn(page: string): readonly (readonly [name: string, type: string])[] {
  return [...page.matchAll(/^# TYPE (\S+) (.*)$/gm)].map(([, name, type]) => [name!, type!] as const)
}

export function sampleOf(page: string, name: string, labels: Sample['labels'] = {}): number | undefined {
  const isMeant = (sample: Sample) => JSON.stringify(sample.labels) === JSON.stringify(labels)
  return parsedMetrics(page).get(name)?.find(isMeant)?.value
}
