import { z } from 'zod'
import type { JsonObject, WireMessage } from './wire.js'

/** What of a kernel's messages is understood; everything else in them is ignored, as the protocol asks for. */
export type FromJupyter = { readonly parentId: string | undefined } & Content

export type Content =
  | { readonly type: 'status'; readonly state: string }
  | { readonly type: 'execute_input' }
  | { readonly type: 'stream'; readonly name: 'stdout' | 'stderr'; readonly pieces: Iterable<string> }
  | { readonly type: 'execute_result'; readonly bundle: Bundle }
  | { readonly type: 'display_data' | 'update_display_data'; readonly bundle: Bundle }
  | ({ readonly type: 'error' } & Failure)
  | ({ readonly type: 'execute_reply'; readonly status: string } & Failure)
  | { readonly type: 'kernel_info_reply'; readonly info: KernelInfo }
  | { readonly type: 'input_request' }

export interface Bundle {
  readonly data: JsonObject
  readonly metadata: JsonObject
}

export interface Failure {
  readonly ename: string
  readonly evalue: string
  readonly traceback: readonly string[]
}

export interface KernelInfo {
  readonly protocolVersion: string
  /** e.g. `ipython`, `IRkernel`. */
  readonly implementation: string
  readonly language: string
  readonly languageVersion: string
}

/** Undefined for a type that is of no interest, and for content that is not what its type demands. */
export function readContent({ header, parentHeader, content, textPieces }: WireMessage): FromJupyter | undefined {
  const reader = readers[header.msg_type as keyof typeof readers]
  if (!Object.hasOwn(readers, header.msg_type)) return undefined
  const parsed = reader.safeParse(content)
  if (!parsed.success) return undefined
  const pieces = textPieces !== undefined && parsed.data.type === 'stream' ? { pieces: textPieces } : {}
  return { parentId: parentHeader?.msg_id, ...parsed.data, ...pieces }
}

const object = z.record(z.string(), z.unknown())
const text = z.string().catch('')
const lines = z.union([z.array(z.string()), z.string().transform((line) => [line])]).catch([])
const bundle = z.object({ data: object, metadata: object.catch({}) })
const failure = { ename: text, evalue: text, traceback: lines }
const language = z.object({ name: text, version: text }).catch({ name: '', version: '' })

const readers = {
  status: z
    .object({ execution_state: z.string() })
    .transform(({ execution_state }) => ({ type: 'status', state: execution_state }) as const),
  execute_input: z.object({}).transform(() => ({ type: 'execute_input' }) as const),
  stream: z
    .object({ name: z.enum(['stdout', 'stderr']), text: z.string() })
    .transform(({ name, text }) => ({ type: 'stream', name, pieces: [text] as Iterable<string> }) as const),
  execute_result: bundle.transform((content) => ({ type: 'execute_result', bundle: content }) as const),
  display_data: bundle.transform((content) => ({ type: 'display_data', bundle: content }) as const),
  update_display_data: bundle.transform((content) => ({ type: 'update_display_data', bundle: content }) as const),
  error: z.object(failure).transform((content) => ({ type: 'error', ...content }) as const),
  execute_reply: z
    .object({ status: z.string(), ...failure })
    .transform((content) => ({ type: 'execute_reply', ...content }) as const),
  kernel_info_reply: z
    .object({ protocol_version: z.string(), implementation: text, language_info: language })
    .transform(({ protocol_version, implementation, language_info: { name, version } }) => {
      const info = { protocolVersion: protocol_version, implementation, language: name, languageVersion: version }
      return { type: 'kernel_info_reply', info } as const
    }),
  input_request: z.object({}).transform(() => ({ type: 'input_request' }) as const),
}
