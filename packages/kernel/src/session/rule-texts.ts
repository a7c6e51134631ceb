import { createHash } from 'node:crypto'
import {
  cooldownSMax,
  eventFilterBytesMax,
  leadSMax,
  maxFiresMax,
  maxLateSMax,
  nameLengthMax,
  ruleCodeLengthMax,
  ruleLimitSDefault,
  ruleLimitSMax,
  ruleLimitSMin,
  ruleSourceLengthMax,
} from '../limits.js'
import type { RuleRow } from '../records/session-contents.js'
import { type Action, carriesCode, formatAction, parseAction } from './action.js'
import { ModuleError, type RuleView } from './module-api.js'
import type { Params } from './module-params.js'
import { priorities, type Rule } from './rule.js'
import { formatTrigger, parseTrigger } from './trigger.js'

/** Between the engine's clock and that of the world. */
export interface Clocks {
  /** Milliseconds that never go back. */
  monotonic(): number
  /** UTC ms. */
  wall(): number
}

export function toWall(monotonic: number, clocks: Clocks): number {
  return Math.round(clocks.wall() + monotonic - clocks.monotonic())
}

export function toMonotonic(wall: number, clocks: Clocks): number {
  return clocks.monotonic() + wall - clocks.wall()
}

export const ruleParams = [
  'trigger',
  'action',
  'name',
  'priority',
  'enabled',
  'max_fires',
  'cooldown_s',
  'lead_s',
  'max_late_s',
  'limit_s',
  'where',
  'source',
] as const

/** Throws a ModuleError that says what is wrong. `createdAt` orders it among the others. */
export function ruleFrom(params: Params, id: (name: string) => string, createdAt: number, now: number): Rule {
  const trigger = parseTrigger(params.text('trigger', ruleCodeLengthMax))
  const action = parseAction(params.text('action', ruleCodeLengthMax + 10))
  const timed = trigger.kind === 'every' || trigger.kind === 'after'
  const leadS = params.maybeNumber('lead_s', 0, leadSMax) ?? 0
  if (leadS > 0 && (timed || trigger.kind === 'event')) {
    throw new ModuleError('ValueError', `lead_s goes with beat:, at: and marker:, not with ${trigger.kind}:.`)
  }
  const where = params.object('where', eventFilterBytesMax) ?? null
  if (where && trigger.kind !== 'event') {
    throw new ModuleError('ValueError', `where goes with event:, not with ${trigger.kind}:.`)
  }
  const name = params.maybeName('name', nameLengthMax) ?? nameOf(formatTrigger(trigger), formatAction(action))
  const maxLateS = params.maybeNumber('max_late_s', 0, maxLateSMax)
  return {
    id: id(name),
    name,
    trigger,
    action,
    source: params.maybeText('source', ruleSourceLengthMax) ?? null,
    priority: priorities.indexOf(params.oneOf('priority', priorities) ?? 'normal'),
    maxFires: params.whole('max_fires', 1, maxFiresMax) ?? null,
    cooldownMs: (params.maybeNumber('cooldown_s', 0, cooldownSMax) ?? 0) * 1000,
    leadMs: leadS * 1000,
    maxLateMs: maxLateS === undefined ? null : maxLateS * 1000,
    limitS: params.maybeNumber('limit_s', ruleLimitSMin, ruleLimitSMax) ?? ruleLimitSDefault,
    where,
    createdAt,
    enabled: params.flag('enabled') ?? true,
    status: 'active',
    firedCount: 0,
    suppressedCount: 0,
    missedCount: 0,
    errorCount: 0,
    lastFiredMs: null,
    lastError: null,
    dueMs: timed ? now + trigger.seconds * 1000 : null,
  }
}

export function viewOf(rule: Rule, clocks: Clocks): RuleView {
  return {
    id: rule.id,
    name: rule.name,
    trigger: formatTrigger(rule.trigger),
    action: formatAction(rule.action),
    priority: priorities[rule.priority] ?? 'normal',
    enabled: rule.enabled,
    status: rule.status,
    max_fires: rule.maxFires,
    cooldown_s: rule.cooldownMs / 1000,
    lead_s: rule.leadMs / 1000,
    max_late_s: rule.maxLateMs === null ? null : rule.maxLateMs / 1000,
    limit_s: rule.limitS,
    where: rule.where,
    fired_count: rule.firedCount,
    suppressed_count: rule.suppressedCount,
    missed_count: rule.missedCount,
    error_count: rule.errorCount,
    last_fired_at: rule.lastFiredMs === null ? null : new Date(toWall(rule.lastFiredMs, clocks)).toISOString(),
    last_error: rule.lastError,
  }
}

export function rowOf(rule: Rule, sessionId: string, clocks: Clocks): RuleRow {
  const view = viewOf(rule, clocks)
  return {
    id: rule.id,
    session_id: sessionId,
    name: rule.name,
    trigger: view.trigger,
    action: view.action,
    source: rule.source,
    priority: rule.priority,
    enabled: rule.enabled ? 1 : 0,
    status: rule.status,
    max_fires: rule.maxFires,
    cooldown_s: view.cooldown_s,
    lead_s: view.lead_s,
    max_late_s: view.max_late_s,
    limit_s: rule.limitS,
    event_filter: rule.where === null ? null : JSON.stringify(rule.where),
    fired_count: rule.firedCount,
    suppressed_count: rule.suppressedCount,
    missed_count: rule.missedCount,
    error_count: rule.errorCount,
    last_fired_at: rule.lastFiredMs === null ? null : toWall(rule.lastFiredMs, clocks),
    last_error: rule.lastError,
    due_at: rule.dueMs === null ? null : toWall(rule.dueMs, clocks),
    created_at: rule.createdAt,
  }
}

export interface RuleReader {
  /** The callback is still in the process. */
  readonly bound: boolean
  /** The kernel is one of the session's owner, and may do what the session's rules say. */
  readonly trusted: boolean
}

export function ruleOf(row: RuleRow, clocks: Clocks, reader: RuleReader): Rule {
  const trigger = parseTrigger(row.trigger)
  const action = parseAction(row.action)
  return {
    id: row.id,
    name: row.name,
    trigger,
    action,
    source: row.source,
    priority: row.priority,
    maxFires: row.max_fires,
    cooldownMs: row.cooldown_s * 1000,
    leadMs: row.lead_s * 1000,
    maxLateMs: row.max_late_s === null ? null : row.max_late_s * 1000,
    limitS: row.limit_s,
    where: row.event_filter === null ? null : JSON.parse(row.event_filter),
    createdAt: row.created_at,
    enabled: row.enabled === 1,
    status: statusOf(row.status as Rule['status'], action, reader),
    firedCount: row.fired_count,
    suppressedCount: row.suppressed_count,
    missedCount: row.missed_count,
    errorCount: row.error_count,
    lastFiredMs: row.last_fired_at === null ? null : toMonotonic(row.last_fired_at, clocks),
    lastError: row.last_error,
    dueMs: row.due_at === null ? null : toMonotonic(row.due_at, clocks),
  }
}

/** Rules whose code this kernel has not, or must not run, are unbound here; with their owner they are what they were. */
function statusOf(stored: Rule['status'], action: Action, { bound, trusted }: RuleReader): Rule['status'] {
  if (carriesCode(action)) {
    if (!trusted) return stored === 'done' ? 'done' : 'unbound'
    return stored === 'unbound' ? 'active' : stored
  }
  if (action.kind !== 'call' || (stored !== 'active' && stored !== 'unbound')) return stored
  return bound ? 'active' : 'unbound'
}

/** The same cell run twice must not make two rules; two different codes must not be one. */
function nameOf(trigger: string, action: string): string {
  const whole = `${trigger} ${action}`.replace(/\s+/g, ' ')
  if (whole.length <= nameLengthMax && whole === `${trigger} ${action}`) return whole
  const hash = createHash('sha256').update(`${trigger} ${action}`).digest('hex').slice(0, 8)
  return `${whole.slice(0, nameLengthMax - 9)} ${hash}`
}
