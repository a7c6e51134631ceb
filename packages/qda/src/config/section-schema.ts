import { z } from 'zod'
import {
  backupsDefault,
  backupsMax,
  pathLengthMax,
  regexTimeoutMsDefault,
  regexTimeoutMsMax,
  regexTimeoutMsMin,
  rootsMax,
} from '../limits.js'
import { approvalModes, trustLevels } from './qda-config.js'

const folder = z
  .string()
  .max(pathLengthMax)
  .regex(/^(\/|~(\/|$))/, 'must be an absolute path, or begin with ~/')
  .refine((path) => !path.includes('\0'), 'must not have a NUL in it')

/** The section `qda`, key by key as it is written. */
export const sectionSchema = z.strictObject({
  roots: z.array(folder).max(rootsMax).default([]),
  approval: z.enum(approvalModes).default('confirm'),
  /** Which names there are is checked apart. */
  levels: z.record(z.string(), z.enum(trustLevels)).default({}),
  require_preview_token: z.boolean().default(false),
  backups: z.int().min(1).max(backupsMax).default(backupsDefault),
  regex_timeout_ms: z.int().min(regexTimeoutMsMin).max(regexTimeoutMsMax).default(regexTimeoutMsDefault),
})

export type WrittenSection = z.infer<typeof sectionSchema>
