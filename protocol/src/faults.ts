/** Why bytes are not a message. The code is API (errors.md), the sentence is not. */
export type FaultCode =
  | 'frame_count'
  | 'head_too_large'
  | 'body_too_large'
  | 'head_malformed'
  | 'batch_too_large'
  | 'batch_lengths'
  | 'type_unknown'
  | 'field_missing'
  | 'field_invalid'
  | 'body_missing'
  | 'body_unexpected'

/** The peer's fault, always: anything else that `decode` did would be ours. */
export interface Fault {
  readonly code: FaultCode
  readonly message: string
}

export const fault = (code: FaultCode, message: string): Fault => ({ code, message })
