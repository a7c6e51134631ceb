import type { Affinity, Definitions, Replicas } from '@callboard/protocol'

/** What one signed-in worker offers. */
export interface Offer {
  readonly service: string
  readonly version: string
  readonly replicas: Replicas
  readonly affinity: Affinity
  readonly definitions: Definitions
  readonly trusted: boolean
  /** The name of the key that it signed in by. */
  readonly key?: string | undefined
}
