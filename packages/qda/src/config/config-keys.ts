import { toolNames } from '../tools/tool-names.js'
import type { sectionSchema } from './section-schema.js'

export interface QdaConfigKey {
  /** From the section on: `roots`, `levels.remove_source`. */
  readonly path: string
  /** What it takes, for whoever has it as text only. `any` is written as JSON. */
  readonly kind: 'text' | 'list' | 'number' | 'truth' | 'any'
}

const kinds = {
  roots: 'list',
  approval: 'text',
  levels: 'any',
  require_preview_token: 'truth',
  backups: 'number',
  regex_timeout_ms: 'number',
} as const satisfies { readonly [key in keyof typeof sectionSchema.shape]: QdaConfigKey['kind'] }

/** Every key of the section `qda`, and each tool under `levels`. */
export const qdaConfigKeys: readonly QdaConfigKey[] = [
  ...Object.entries(kinds).map(([path, kind]) => ({ path, kind })),
  ...toolNames.map((name) => ({ path: `levels.${name}`, kind: 'text' as const })),
]
