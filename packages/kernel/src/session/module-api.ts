/**
 * What the Python module `vibeweaver` and this worker say to each other, beside cells. A request is answered by a value or by
 * an error of one of these kinds, which the module raises; notices have no answer. Keys are those of the Python signatures.
 */
export const moduleErrorKinds = [
  'TypeError',
  'ValueError',
  'VibeError',
  'NotFoundError',
  'SessionBusyError',
  'LimitError',
  'UnavailableError',
] as const

export type ModuleErrorKind = (typeof moduleErrorKinds)[number]

export class ModuleError extends Error {
  override readonly name = 'ModuleError'
  readonly kind: ModuleErrorKind

  constructor(kind: ModuleErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

export interface SessionInfo {
  readonly id: string
  readonly name: string
  readonly vibe: string | null
  readonly tempo_bpm: number
}

export interface TransportView {
  readonly state: 'stopped' | 'playing' | 'paused'
  /** Beats. */
  readonly position: number
  readonly bpm: number
  /** `[start, end)` in beats. */
  readonly loop: readonly [number, number] | null
}

export interface MarkerView {
  readonly name: string
  readonly beat: number
  readonly metadata: unknown
}

/** A rule as Python and agents see it. */
export interface RuleView {
  readonly id: string
  readonly name: string
  readonly trigger: string
  /** `call:fn`, `eval:<code>`, `play`, `seek:16`, … */
  readonly action: string
  readonly priority: 'critical' | 'high' | 'normal' | 'low' | 'idle'
  readonly enabled: boolean
  readonly status: 'active' | 'done' | 'unbound' | 'errored'
  readonly max_fires: number | null
  readonly cooldown_s: number
  readonly lead_s: number
  readonly max_late_s: number | null
  readonly limit_s: number
  readonly where: { readonly [field: string]: unknown } | null
  readonly fired_count: number
  readonly suppressed_count: number
  readonly missed_count: number
  readonly error_count: number
  readonly last_fired_at: string | null
  readonly last_error: string | null
}

export interface EventView {
  readonly cursor: string
  readonly type: string
  readonly data: unknown
  /** RFC 3339, UTC. */
  readonly time: string
}

/** Requests of the module: name, parameters (absent and null mean the same), answer. */
export interface ModuleMethods {
  session: {
    params: { name?: string; vibe?: string; load?: string; shared?: boolean }
    answer: SessionInfo
  }
  sessions: { params: object; answer: readonly (SessionInfo & { shared: boolean; current: boolean })[] }
  tempo: { params: { bpm?: number }; answer: number }
  play: { params: { from_beat?: number }; answer: TransportView }
  pause: { params: object; answer: TransportView }
  stop: { params: object; answer: TransportView }
  seek: { params: { beat: number }; answer: TransportView }
  /** Both null: no loop. */
  loop: { params: { start: number | null; end?: number | null }; answer: TransportView }
  transport: { params: object; answer: TransportView }
  /** Answered when the clock reaches the beat, or `n` beats from now. */
  until_beat: { params: { beat: number }; answer: number }
  sleep_beats: { params: { n: number }; answer: number }
  marker: { params: { name: string; beat: number; metadata?: unknown }; answer: MarkerView }
  markers: { params: { start?: number; end?: number }; answer: readonly MarkerView[] }
  remove_marker: { params: { name: string }; answer: boolean }
  /** `source` is the text of a callback, for display; a callback itself stays in Python under the rule's id. */
  rule: {
    params: {
      trigger: string
      action: string
      name?: string
      priority?: RuleView['priority']
      enabled?: boolean
      max_fires?: number
      cooldown_s?: number
      lead_s?: number
      max_late_s?: number
      limit_s?: number
      where?: { readonly [field: string]: unknown }
      source?: string
    }
    answer: RuleView
  }
  rules: { params: { all?: boolean }; answer: readonly RuleView[] }
  get_rule: { params: { id_or_name: string }; answer: RuleView }
  set_rule: { params: { id: string; enabled: boolean }; answer: RuleView }
  remove_rule: { params: { id: string }; answer: boolean }
  fire_rule: { params: { id: string }; answer: RuleView }
  /** Beats or RFC 3339 of the next firing, whichever the trigger counts in; null: none is known. */
  next_fire: { params: { id: string }; answer: { readonly beat: number | null; readonly time: string | null } }
  rule_log: {
    params: { id: string; limit?: number }
    answer: readonly {
      target_beat: number | null
      fired_at: string
      late_s: number
      outcome: string
      detail: string | null
    }[]
  }
  emit: { params: { name: string; data?: unknown }; answer: EventView }
  events: {
    params: { cursor?: string; types?: readonly string[]; limit?: number }
    answer: { events: readonly EventView[]; cursor: string; has_more: boolean; gap: boolean }
  }
  /** Answered by the first event after the request (or after `cursor`) that fits; rejected with LimitError when time is over. */
  wait_event: { params: { pattern: string; timeout_s: number; cursor?: string }; answer: EventView }
  history: {
    params: { limit?: number; query?: string }
    answer: readonly { action: string; params: unknown; result: string | null; success: boolean; timestamp: string }[]
  }
  note: { params: { text: string }; answer: null }
  /** Within the live eval call of the run that asks. */
  tool: { params: { name: string; arguments: { readonly [name: string]: unknown } }; answer: unknown }
  /** The text of weave_help; NotFoundError names all topics. */
  docs: { params: { topic?: string }; answer: string }
}

/** Worker → module, by `tell`. */
export interface ModuleOrders {
  /** Start it after the delay, unless revoked before. Two processes may not share a clock zero: hence no time stamp. */
  fire: {
    readonly firing: number
    readonly generation: number
    readonly rule_id: string
    /** With `call:fn`: the callback registered under `rule_id`; else this code is run. */
    readonly code: string | null
    readonly delay_s: number
    readonly target_beat: number | null
    readonly position: number
    readonly count: number
    readonly event: { readonly [field: string]: unknown } | null
    readonly marker: string | null
    /** 0 critical … 4 idle; idle waits until no cell runs. */
    readonly priority: number
    readonly limit_s: number
    /** Later than this it is not started, but reported as late. */
    readonly max_late_s: number | null
  }
  /** Firings of this and earlier generations that have not started. */
  revoke: { readonly generation: number }
  /** Callbacks that are no longer wanted. */
  forget_rules: { readonly ids: readonly string[] }
}

/** Module → worker, as notices. */
export interface ModuleNotices {
  fire_started: { readonly firing: number; readonly late_s: number }
  fire_ended: {
    readonly firing: number
    readonly outcome: 'ok' | 'error' | 'missed' | 'revoked' | 'unbound' | 'late'
    readonly detail: string | null
  }
}
