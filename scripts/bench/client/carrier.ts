/** Takes messages to a subject, whatever the way there. */
export interface Carrier {
  /** JSON-RPC messages without line ends; all of one call in as few writes as the way allows. */
  send(messages: readonly string[]): void
  close(): void
}

export interface CarrierEvents {
  /** JSON-RPC messages, as many as came at once. ASCII only. */
  readonly deliver: (messages: readonly string[]) => void
  /** Nothing will come any more. */
  readonly fail: (problem: string) => void
}
