import { errorsInARowMax } from '../limits.js'
import type { Action } from './action.js'
import type { RuleView } from './module-api.js'
import type { Trigger } from './trigger.js'

export const priorities = [
  'critical',
  'high',
  'normal',
  'low',
  'idle',
] as const satisfies readonly RuleView['priority'][]

/** The most patient priority: waits until no cell runs. */
export const idlePriority = priorities.indexOf('idle')

/** A rule as the engine keeps it. Times are milliseconds of the engine's monotonic clock. */
export interface Rule {
  readonly id: string
  readonly name: string
  readonly trigger: Trigger
  readonly action: Action
  /** Text of a callback, for display. */
  readonly source: string | null
  /** 0 critical … 4 idle. */
  readonly priority: number
  readonly maxFires: number | null
  readonly cooldownMs: number
  readonly leadMs: number
  readonly maxLateMs: number | null
  readonly limitS: number
  /** What the data of an event must have. */
  readonly where: { readonly [field: string]: unknown } | null
  /** Orders rules of one priority; unique within a session. UTC ms. */
  readonly createdAt: number
  enabled: boolean
  status: RuleView['status']
  /** Dispatches. */
  firedCount: number
  suppressedCount: number
  missedCount: number
  /** In a row. */
  errorCount: number
  lastFiredMs: number | null
  lastError: string | null
  /** Of `after` and `every`: when it is due next. */
  dueMs: number | null
}

export type LogOutcome = 'ok' | 'error' | 'suppressed' | 'missed' | 'late'

/** How a firing ended. `unbound`: the process has no such function; `unavailable`: there was no live call for `tool:`. */
export type FiringOutcome = 'ok' | 'error' | 'missed' | 'late' | 'unbound' | 'unavailable'

/** Counts it, and says how it is logged. */
export function countOutcome(rule: Rule, outcome: FiringOutcome, detail: string | null): LogOutcome {
  switch (outcome) {
    case 'ok':
      rule.errorCount = 0
      return 'ok'
    case 'error':
      rule.errorCount += 1
      rule.lastError = detail
      if (rule.errorCount >= errorsInARowMax) Object.assign(rule, { enabled: false, status: 'errored' })
      return 'error'
    case 'unavailable':
      // Nothing is wrong with the rule.
      return 'error'
    case 'unbound':
      if (rule.status === 'active') rule.status = 'unbound'
      rule.missedCount += 1
      return 'missed'
    case 'missed':
    case 'late':
      rule.missedCount += 1
      return outcome
    default:
      return outcome satisfies never
  }
}

export interface EngineEventData {
  readonly cursor: string
  readonly type: string
  readonly data: unknown
  readonly time: string
}

/** Whether the data of an event has all that the rule asks for; a list has what is in it. */
export function fits(where: Rule['where'], data: unknown): boolean {
  if (where === null) return true
  if (typeof data !== 'object' || data === null) return false
  return Object.entries(where).every(([field, wanted]) => {
    const found = Object.hasOwn(data, field) ? (data as { readonly [field: string]: unknown })[field] : undefined
    return same(found, wanted) || (Array.isArray(found) && found.some((item) => same(item, wanted)))
  })
}

/** `*` stands for any characters. */
export function matches(pattern: string, type: string): boolean {
  const [head = '', ...parts] = pattern.split('*')
  if (parts.length === 0) return pattern === type
  const tail = parts.pop() ?? ''
  if (!type.startsWith(head) || !type.endsWith(tail) || type.length < head.length + tail.length) return false
  // Each part at its first place: linear, whatever the pattern.
  let from = head.length
  for (const part of parts) {
    const found = type.indexOf(part, from)
    if (found < 0) return false
    from = found + part.length
  }
  return from <= type.length - tail.length
}

function same(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && same(field(one, key), field(other, key)))
  )
}

function field(value: object, key: string): unknown {
  return (value as { readonly [field: string]: unknown })[key]
}
