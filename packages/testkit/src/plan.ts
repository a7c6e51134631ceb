import type { Random } from './random.js'
import type { ServiceSpec, ToolSpec } from './services.js'

/** What a handler will do, as data that travels in the call's body: so a run is decided by its seed alone. */
export interface Plan {
  readonly steps: readonly Step[]
  readonly end: 'result' | 'is_error' | 'error' | 'never'
  /** What an abort does to it: nothing, an end after so many ms, or no end at all. */
  readonly onAbort: 'ignore' | 'never' | number
}

export type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'progress' | 'log' | 'ask' }
  | {
      readonly do: 'call'
      readonly tool: string
      readonly plan: Plan
      readonly waits: boolean
      readonly timeoutMs?: number
      readonly giveUpMs?: number
      /** With a token minted for it, instead of the parent call. */
      readonly byToken?: boolean
    }

/** Marks a call, and everything that belongs to it, so that a mix-up shows. */
export interface Canary {
  readonly call: string
  /** The agent's call at the top. */
  readonly root: string
  /** Who the hub must say that it is; undefined where only the hub can know. */
  readonly session: string | undefined
  readonly principal: string
  readonly depth: number
  readonly retriable: boolean
}

export interface CallBody {
  readonly canary: Canary
  readonly plan: Plan
}

export interface PlanHabits {
  readonly asks: boolean
  readonly hangs: boolean
  readonly sticks: boolean
  readonly nests: number
  readonly tokens: boolean
  readonly slowMs: number
}

export function makePlan(random: Random, services: readonly ServiceSpec[], habits: PlanHabits, depth = 0): Plan {
  const steps: Step[] = []
  const count = random.integer(0, 3)
  for (let index = 0; index < count; index++) steps.push(makeStep(random, services, habits, depth))
  const end = random.chance(0.8) ? 'result' : random.pick(['is_error', 'error', 'result'] as const)
  return {
    steps,
    end: habits.hangs && random.chance(0.04) ? 'never' : end,
    onAbort:
      habits.sticks && random.chance(0.03) ? 'never' : random.chance(0.2) ? 'ignore' : random.integer(0, 1) * 400,
  }
}

/** A plan that goes straight to its end. */
export function quickPlan(ms: number): Plan {
  return { steps: [{ do: 'wait', ms }], end: 'result', onAbort: 0 }
}

function makeStep(random: Random, services: readonly ServiceSpec[], habits: PlanHabits, depth: number): Step {
  const draw = random.next()
  if (draw < 0.12) return { do: 'progress' }
  if (draw < 0.2) return { do: 'log' }
  if (draw < 0.32 && habits.asks) return { do: 'ask' }
  if (draw < 0.55 && depth < habits.nests) return makeCall(random, services, habits, depth)
  return { do: 'wait', ms: random.chance(0.1) ? random.integer(0, habits.slowMs) : random.integer(0, 120) }
}

function makeCall(random: Random, services: readonly ServiceSpec[], habits: PlanHabits, depth: number): Step {
  const tool: ToolSpec = random.pick(random.pick(services).tools)
  const waits = random.chance(0.8)
  return {
    do: 'call',
    tool: tool.name,
    plan: makePlan(random, services, habits, depth + 1),
    waits,
    ...(random.chance(0.2) ? { timeoutMs: random.integer(50, 3_000) } : {}),
    ...(random.chance(0.1) ? { giveUpMs: random.integer(10, 1_000) } : {}),
    ...(habits.tokens && random.chance(0.2) ? { byToken: true } : {}),
  }
}

/** A chain of calls, each inside the one before: deeper than the protocol allows. */
export function chainPlan(random: Random, services: readonly ServiceSpec[], length: number): Plan {
  if (length === 0) return quickPlan(5)
  const tool = random.pick(random.pick(services).tools).name
  const plan = chainPlan(random, services, length - 1)
  return { steps: [{ do: 'call', tool, plan, waits: true }], end: 'result', onAbort: 0 }
}
