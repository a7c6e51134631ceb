import { z } from 'zod'
import { networkNames } from '../config.js'
import type { ContentWriter, Written } from '../content/content-writer.js'
import { topicText } from '../content/topics/topic-text.js'
import { topicLengthMax } from '../limits.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { Networks } from '../networks/networks.js'
import { measure } from '../text/measure.js'
import type { ToolMarks } from './social-tool.js'

export interface GeneratorParts {
  readonly writer: ContentWriter
  readonly networks: Networks
}

/** Asks a model, and stores nothing that anybody sees. Two calls may give two texts. */
export const generates: ToolMarks = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
}

export const topicInput = z
  .string()
  .trim()
  .min(1)
  .max(topicLengthMax)
  .refine((topic) => topicText(topic) !== '', 'must have characters that can be seen')

/** What every generated text says of itself. */
export const generatedFields = {
  network: z.enum(networkNames),
  limit: z.int().describe('What the network takes, counted in unit'),
  unit: z.enum(['weighted characters', 'graphemes', 'characters', 'bytes']),
  generated_by: z.enum(['llm', 'template']),
  warnings: z.array(z.string()),
}

export function generatedFieldsOf({ parts, generatedBy, warnings }: Written, network: NetworkAdapter) {
  const { limit, unit } = measure(parts[0]!, network.lengthRule)
  return { network: network.name, limit, unit, generated_by: generatedBy, warnings: [...warnings] }
}

export function charCount(text: string, network: NetworkAdapter): number {
  return measure(text, network.lengthRule).count
}
