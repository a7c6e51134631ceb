import { expect, it } from 'vitest'
import { RestartPolicy, type WorkerEnd } from '../../src/up/restart-policy.js'

const crash = (livedMs: number, more: Partial<WorkerEnd> = {}): WorkerEnd => ({
  livedMs,
  code: 1,
  hasSignedIn: false,
  ...more,
})
const served = (livedMs: number, code = 1) => crash(livedMs, { hasSignedIn: true, code })

const delays = (policy: RestartPolicy, end: WorkerEnd, count: number) =>
  Array.from({ length: count }, () => policy.exited(end).delayMs)

it.each([
  ['that does not sign in', crash(6_000)],
  ['that ends at once', crash(100)],
  ['that signs in and crashes seconds later', served(6_000)],
  ['that signs in and ends at once with 0', served(100, 0)],
  ['that says that something is for the user to change', crash(100, { code: 2 })],
])('doubles up to 30 s for a worker %s, with up to half of it jitter', (_, end) => {
  expect(delays(new RestartPolicy(() => 1), end, 8)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  expect(delays(new RestartPolicy(() => 0), end, 8)).toEqual([500, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
})

it.each([
  ['a minute of health', served(60_000)],
  ['a minute without a sign-in, because the hub may have been busy', crash(60_000)],
  ['an end that it was asked for', served(5_000, 0)],
])('forgets after %s', (_, end) => {
  const policy = new RestartPolicy(() => 1)
  expect(policy.exited(crash(1_000)).endsInARow).toBe(1)
  delays(policy, crash(1_000), 5)
  expect(policy.exited(end)).toMatchObject({ delayMs: 500, endsInARow: 1 })
})

it('starts a worker again at once that is drained again and again', () => {
  expect(delays(new RestartPolicy(() => 1), served(6_000, 0), 4)).toEqual([500, 500, 500, 500])
})

const loops = (ends: readonly WorkerEnd[]) => {
  const policy = new RestartPolicy(() => 0)
  return ends.map((end) => policy.exited(end).crashLoop)
}

it('calls it a crash loop once, at the third early end in a row', () => {
  expect(loops([100, 100, 6_000, 100, 100, 100, 100].map((livedMs) => crash(livedMs)))).toEqual([
    'none',
    'none',
    'none',
    'none',
    'none',
    'begins',
    'goes_on',
  ])
})

it('calls nothing a crash loop that had signed in, however soon it ended', () => {
  expect(loops(Array.from({ length: 5 }, () => served(100)))).toEqual(['none', 'none', 'none', 'none', 'none'])
  expect(loops([crash(100), crash(100), served(100), crash(100)])).toEqual(['none', 'none', 'none', 'none'])
})

it('does so with exit code 2 however long it took', () => {
  const misconfigured = crash(9_000, { code: 2 })
  expect(loops([misconfigured, misconfigured, misconfigured])).toEqual(['none', 'none', 'begins'])
})
