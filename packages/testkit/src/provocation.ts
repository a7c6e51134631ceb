import { type FaultProfile, type Trouble, troubles } from './fault-profile.js'
import { perfectLink } from './link.js'
import type { ServiceSpec } from './services.js'
import type { SimulationOptions } from './simulation.js'

/** What a run must be like for a fault of one kind to show soon. */
export type Provocation = keyof typeof wishes

export const isProvocation = (name: string): name is Provocation => name in wishes

/** Instead of what the seed would have chosen. */
export const provoke = (name: Provocation): Omit<SimulationOptions, 'seed'> => wishes[name]

function service(serial: number, wish: Partial<ServiceSpec> = {}, timeoutMs = 1_000): ServiceSpec {
  const name = `svc${serial}`
  const hints = ['none', 'none', 'idempotent', 'read_only'] as const
  return {
    service: name,
    instances: 3,
    concurrency: 2,
    heartbeatMs: 500,
    replicas: 'many',
    affinity: 'none',
    drainMs: 500,
    trusted: true,
    tools: hints.map((hint, index) => ({ name: `${name}_tool${index}`, service: name, hint, timeoutMs })),
    uri: `${name}://thing`,
    ...wish,
  }
}

const habits = { asks: false, hangs: false, sticks: false, nests: 0, tokens: false, slowMs: 300 } as const

const profile = (some: Partial<Record<Trouble, number>>, wish: Partial<FaultProfile> = {}): Partial<FaultProfile> => ({
  name: 'faulty',
  link: perfectLink,
  troubles: Object.fromEntries(troubles.map((name) => [name, some[name] ?? 0])) as Record<Trouble, number>,
  notices: 'prompt',
  habits,
  agents: 5,
  paceMs: 60,
  chaosMs: 6_000,
  clockSkewMs: 0,
  forgetful: false,
  drifts: false,
  ...wish,
})

const wishes = {
  /** Workers that fail, of which others are well. */
  sickness: {
    services: [service(0, { concurrency: 4, instances: 2 })],
    profile: profile({ sicken: 0.06, freeze: 0.02 }, { paceMs: 80, agents: 6, chaosMs: 25_000 }),
  },
  /** Workers that do not answer, and agents that would not wait for it anyway. */
  impatience: {
    services: [service(0, { concurrency: 8, instances: 2 }, 20_000)],
    profile: profile({ sicken: 0.06 }, { chaosMs: 15_000, impatience: 0.9 }),
  },
  /** Workers of several builds, which come and go. */
  builds: {
    services: [service(0, { concurrency: 1 })],
    profile: profile({ kill: 0.03, terminate: 0.02, rebuild: 0.05, cut: 0.05 }, { drifts: true, chaosMs: 10_000 }),
  },
  /** All sessions ask for more than may wait. */
  crowd: {
    services: [service(0, { concurrency: 1 }, 20_000)],
    profile: profile({ crowd: 0.1, burst: 0.1 }, { agents: 6, chaosMs: 2_000 }),
  },
  /** More calls than credits, so that there is a queue all the time. */
  queue: {
    services: [service(0, { instances: 2, concurrency: 1 })],
    profile: profile({ kill: 0.01, terminate: 0.01 }, { paceMs: 40, agents: 6 }),
  },
  /** Workers that are lost with what they hold. */
  loss: {
    services: [service(0, { instances: 1, concurrency: 2 }, 2_000), service(1, { affinity: 'session' })],
    profile: profile({ kill: 0.05, cut: 0.15, freeze: 0.1 }, { paceMs: 100, habits: { ...habits, slowMs: 4_000 } }),
  },
  /** Calls inside calls, with questions between them. */
  nesting: {
    services: [service(0, { instances: 1, concurrency: 1 }), service(1, { concurrency: 2 })],
    profile: profile(
      { terminate: 0.02, hostile_frame: 0.5 },
      {
        agents: 3,
        chaosMs: 4_000,
        habits: { asks: true, hangs: true, sticks: false, nests: 4, tokens: true, slowMs: 3_000 },
      },
    ),
  },
  /** Workers that leave while calls are on their way to them. */
  leaving: {
    services: [service(0, { concurrency: 8, drainMs: 2_000 })],
    profile: profile({ terminate: 0.1, drain: 0.1 }, { link: { ...perfectLink, latencyMs: [1, 40] }, paceMs: 20 }),
  },
  /** A hub that dies while workers call each other. */
  hub_loss: {
    services: [service(0), service(1)],
    profile: profile({ hub_kill: 0.1 }, { habits: { ...habits, nests: 3, tokens: true } }),
  },
} as const satisfies Readonly<Record<string, Omit<SimulationOptions, 'seed'>>>
