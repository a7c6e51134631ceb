import { cut, type Impairment, untouched } from './bad-link.js'

/** What becomes of the link for a while, and what the hub must make of it. */
export interface Trouble {
  readonly name: string
  readonly there: Impairment
  readonly back: Impairment
  readonly forMs: number
  /** How long the link is good again before the next. */
  readonly restMs: number
  /** `stays`: the worker's sign-in outlives it; `ends`: it must not; `either`: whether it does is the moment's. */
  readonly signIn: 'stays' | 'ends' | 'either'
}

const slow: Impairment = { delayMs: 50, jitterMs: 20, loss: 0 }
const lossy: Impairment = { ...slow, loss: 0.05 }
const veryLossy: Impairment = { ...slow, loss: 0.3 }

export const troubles: readonly Trouble[] = [
  { name: 'nothing', there: untouched, back: untouched, forMs: 3_000, restMs: 0, signIn: 'stays' },
  { name: '50 ms delay, reordered', there: slow, back: slow, forMs: 6_000, restMs: 1_000, signIn: 'stays' },
  {
    name: '50 ms delay, reordered, 5 % loss',
    there: lossy,
    back: lossy,
    forMs: 15_000,
    restMs: 10_000,
    signIn: 'either',
  },
  {
    name: '50 ms delay, reordered, 30 % loss',
    there: veryLossy,
    back: veryLossy,
    forMs: 8_000,
    restMs: 10_000,
    signIn: 'either',
  },
  { name: 'a cut of 1 s', there: cut, back: cut, forMs: 1_000, restMs: 5_000, signIn: 'stays' },
  { name: 'a cut of 8 s', there: cut, back: cut, forMs: 8_000, restMs: 8_000, signIn: 'ends' },
  {
    name: 'half open, nothing gets to the worker',
    there: cut,
    back: untouched,
    forMs: 8_000,
    restMs: 8_000,
    signIn: 'ends',
  },
  {
    name: 'half open, nothing gets to the hub',
    there: untouched,
    back: cut,
    forMs: 8_000,
    restMs: 8_000,
    signIn: 'ends',
  },
]
