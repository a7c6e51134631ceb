import type { WaitTarget } from './beat-waits.js'
import type { TransportCommand } from './clock.js'
import type { ModuleNotices } from './module-api.js'
import type { EngineEventData, LogOutcome, Rule } from './rule.js'

export type EngineEvent =
  | { readonly type: 'tick' }
  /** `depth`: how many firings have led to it; 0 from an agent. */
  | { readonly type: 'transport'; readonly command: TransportCommand; readonly depth: number }
  /** In place of one with the same id. */
  | { readonly type: 'rule_set'; readonly rule: Rule }
  | { readonly type: 'rule_removed'; readonly id: string }
  | { readonly type: 'rule_enabled'; readonly id: string; readonly enabled: boolean }
  /** By hand, now. */
  | { readonly type: 'rule_fired'; readonly id: string; readonly depth: number }
  | { readonly type: 'marker_set'; readonly name: string; readonly beat: number }
  | { readonly type: 'marker_removed'; readonly name: string }
  | { readonly type: 'event'; readonly event: EngineEventData; readonly depth: number }
  /** Whether there is a process to run callbacks. */
  | { readonly type: 'kernel'; readonly present: boolean }
  /** The process has forgotten its callbacks. */
  | { readonly type: 'callbacks_lost' }
  | { readonly type: 'cells'; readonly running: boolean }
  | ({ readonly type: 'fire_started' } & ModuleNotices['fire_started'])
  | ({ readonly type: 'fire_ended' } & ModuleNotices['fire_ended'])
  | {
      readonly type: 'tool_ended'
      readonly firing: number
      readonly outcome: 'ok' | 'error' | 'unavailable'
      readonly detail: string | null
    }
  | { readonly type: 'wait'; readonly id: number; readonly target: WaitTarget }
  | { readonly type: 'wait_withdrawn'; readonly id: number }
  /** No rules, no markers, stopped at beat 0 at the usual tempo. */
  | { readonly type: 'cleared' }

/** In the order in which they must be performed. */
export type EngineEffect =
  | {
      readonly type: 'hand_out'
      readonly firing: number
      readonly generation: number
      readonly rule: Rule
      readonly delayMs: number
      readonly targetBeat: number | null
      readonly position: number
      readonly event: EngineEventData | null
      readonly marker: string | null
    }
  | { readonly type: 'revoke'; readonly generation: number }
  | { readonly type: 'emit'; readonly rule: Rule; readonly name: string; readonly depth: number }
  | { readonly type: 'notify'; readonly rule: Rule; readonly text: string; readonly depth: number }
  | {
      readonly type: 'call_tool'
      readonly firing: number
      readonly name: string
      readonly arguments: { readonly [name: string]: unknown }
    }
  | {
      readonly type: 'log'
      readonly rule: Rule
      readonly targetBeat: number | null
      readonly atMs: number
      readonly lateS: number
      readonly outcome: LogOutcome
      readonly detail: string | null
    }
  /** Counters, status or due time. */
  | { readonly type: 'rule_changed'; readonly rule: Rule }
  | { readonly type: 'transport_changed'; readonly depth: number }
  | { readonly type: 'reached'; readonly id: number }
