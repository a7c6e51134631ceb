import { type LinkFaults, perfectLink } from './link.js'
import type { PlanHabits } from './plan.js'
import type { Random } from './random.js'

/** What goes wrong in a run, and how often: each seed has its own. */
export interface FaultProfile {
  readonly name: string
  readonly link: LinkFaults
  /** Chances, in tenths of a second, of each kind of trouble. */
  readonly troubles: Readonly<Record<Trouble, number>>
  /** Whether the router and the DEALERs tell of lost connections; without, the transport's heartbeats close them. */
  readonly notices: 'prompt' | 'late' | 'mixed'
  readonly habits: PlanHabits
  readonly agents: number
  /** How many calls come with a time of their own, often less than is due to what they call. */
  readonly impatience: number
  /** The mean pause between two deeds of one agent. */
  readonly paceMs: number
  readonly chaosMs: number
  readonly clockSkewMs: number
  /** Agents that leave questions unanswered for good: such a run takes a quarter of an hour of its own time. */
  readonly forgetful: boolean
  /** Builds of one service run beside each other. */
  readonly drifts: boolean
}

export const troubles = [
  'cut',
  'freeze',
  'kill',
  'terminate',
  'stop',
  'drain',
  'hub_kill',
  'hub_shutdown',
  'hub_freeze',
  'hostile_frame',
  'redefine',
  'tell',
  'clock_jump',
  'sicken',
  'rebuild',
  'burst',
  'crowd',
] as const
export type Trouble = (typeof troubles)[number]

const most: Readonly<Record<Trouble, number>> = {
  cut: 0.15,
  freeze: 0.06,
  kill: 0.05,
  terminate: 0.05,
  stop: 0.02,
  drain: 0.04,
  hub_kill: 0.012,
  hub_shutdown: 0.006,
  hub_freeze: 0.02,
  hostile_frame: 0.3,
  redefine: 0.1,
  tell: 0.3,
  clock_jump: 0.02,
  sicken: 0.05,
  rebuild: 0.03,
  burst: 0.01,
  crowd: 0.003,
}

export function makeProfile(random: Random): FaultProfile {
  const kind = random.next()
  if (kind < 0.1) return calmProfile(random)
  if (kind < 0.2) return rollingProfile(random)
  const isLossy = kind > 0.85
  return {
    ...calmProfile(random),
    name: isLossy ? 'lossy' : 'faulty',
    link: isLossy
      ? lossyLink(random)
      : { ...perfectLink, latencyMs: latency(random), full: random.pick([0, 0, 0.003]) },
    troubles: chances((trouble) => (random.chance(0.5) ? random.next() * most[trouble] : 0)),
    notices: random.pick(['prompt', 'late', 'mixed'] as const),
    clockSkewMs: random.pick([0, 50, 5_000, 3_600_000]),
    drifts: random.chance(0.4),
  }
}

function calmProfile(random: Random): FaultProfile {
  return {
    name: 'calm',
    link: { ...perfectLink, latencyMs: latency(random) },
    troubles: chances(() => 0),
    notices: 'prompt',
    habits: {
      asks: random.chance(0.6),
      hangs: random.chance(0.5),
      sticks: random.chance(0.3),
      nests: random.integer(0, 4),
      tokens: random.chance(0.3),
      slowMs: random.pick([500, 3_000, 15_000]),
    },
    agents: random.integer(1, 5),
    impatience: 0.2,
    paceMs: random.pick([80, 200, 600]),
    chaosMs: random.integer(4_000, 15_000),
    clockSkewMs: random.pick([0, 50, 5_000]),
    forgetful: random.chance(0.1),
    drifts: false,
  }
}

/** Workers leave and come back one after the other, and nothing else happens: no call may fail for it. */
function rollingProfile(random: Random): FaultProfile {
  const { habits, ...calm } = calmProfile(random)
  return {
    ...calm,
    name: 'rolling',
    link: perfectLink,
    habits: { ...habits, hangs: false, sticks: false, asks: false, nests: 0, slowMs: 150 },
    paceMs: 150,
    forgetful: false,
  }
}

function lossyLink(random: Random): LinkFaults {
  return {
    latencyMs: latency(random),
    loss: random.pick([0, 0.01, 0.05]),
    reordering: random.pick([0, 0.05, 0.2]),
    duplication: random.pick([0, 0, 0.02]),
    full: random.pick([0, 0.005]),
  }
}

function latency(random: Random): [number, number] {
  return random.pick([
    [0, 0],
    [0, 3],
    [1, 40],
    [5, 400],
  ] as [number, number][])
}

function chances(chance: (trouble: Trouble) => number): Record<Trouble, number> {
  return Object.fromEntries(troubles.map((trouble) => [trouble, chance(trouble)])) as Record<Trouble, number>
}
