/** What the watch holds a broker to, where the broker does not keep it from its first day. */
export interface HubRules {
  /** Heartbeat intervals without a message after which a worker gets no REQUEST. */
  readonly suspectAfterBeats: number
  /** Who takes turns with whom in a queue: sessions, or principals and then the sessions of each. */
  readonly turnsOf: 'principal' | 'principal'
  /** A service's definitions in force stay while a ready worker offers them. */
  readonly editions: boolean
  /** Workers whose answers are mostly errors are left out for a while. */
  readonly ejection: boolean
}

export const rulesInForce: HubRules = {
  suspectAfterBeats: 2,
  turnsOf: 'principal',
  editions: true,
  ejection: true,
}
