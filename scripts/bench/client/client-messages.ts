import type { Era } from './call-texts.js'
import type { PackedLatencies } from './latencies.js'
import type { PayloadName } from './payload.js'

/** A process that belongs to a subject and lives as long as its client. */
export interface ProgramCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string }
  /** For one that listens before it can serve: it can when what is read there holds the text. */
  readonly ready?: { readonly url: string; readonly text: string }
}

/** How a client reaches its subject. */
export type Opening = { readonly tool: string; readonly era: Era } & (
  | { readonly kind: 'stdio'; readonly program: ProgramCommand }
  | { readonly kind: 'socket'; readonly path: string }
  /** `program` is what serves there, if nobody else starts it. */
  | { readonly kind: 'http'; readonly url: string; readonly program?: ProgramCommand }
  /** The transport of 2024: answers come on one stream, whatever asks has a request of its own. */
  | { readonly kind: 'sse'; readonly url: string; readonly program?: ProgramCommand }
  | { readonly kind: 'dealer'; readonly endpoint: string }
)

export interface WindowOrder {
  readonly inFlight: number
  readonly payload: PayloadName
  readonly ms: number
}

export type ClientOrder =
  | { readonly kind: 'open'; readonly opening: Opening }
  | { readonly kind: 'window'; readonly window: WindowOrder }

export interface WindowReport {
  readonly calls: number
  /** From the first request to the last answer. */
  readonly elapsedMs: number
  readonly latencies: PackedLatencies
  /** Of the client's own process: what measuring costs. */
  readonly clientCpuMs: number
}

export type ClientReport =
  | { readonly kind: 'opened'; readonly program?: number }
  | { readonly kind: 'window'; readonly report: WindowReport }
  | { readonly kind: 'failed'; readonly problem: string }
