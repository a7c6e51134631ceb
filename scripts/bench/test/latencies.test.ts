import { expect, it } from 'vitest'
import { Latencies } from '../client/latencies.js'

it('keeps quantiles within one percent, also of parts put together', () => {
  const parts = [new Latencies(), new Latencies()]
  for (let ms = 1; ms <= 1_000; ms += 1) parts[ms % 2]!.record(ms)
  const all = Latencies.of(parts.map((part) => part.pack()))
  for (const share of [0.01, 0.5, 0.99, 1]) {
    expect(all.quantile(share) / (share * 1_000_000)).toBeGreaterThan(0.99)
    expect(all.quantile(share) / (share * 1_000_000)).toBeLessThan(1.01)
  }
})

it('has no quantile of nothing', () => {
  expect(new Latencies().quantile(0.5)).toBeNaN()
})
