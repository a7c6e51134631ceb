import type { BrokerEffect, BrokerEvent } from '@callboard/hub'

/** Looks at what goes into a broker and what comes out of it; throws a Violation at the first that must not be. */
export interface Watch {
  /** The books have the event, and none of its effects. */
  event?(event: BrokerEvent, now: number): void
  /** The books have everything before this effect. */
  effect?(effect: BrokerEffect, now: number): void
  /** The books have all of the step. */
  stepped?(now: number): void
}
