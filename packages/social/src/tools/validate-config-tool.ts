import { z } from 'zod'
import { configProblems } from '../config/config-problems.js'
import { answering, reads, type SocialTool } from './social-tool.js'

export interface ValidateConfigParts {
  /** Section `social`, as it was given at start. */
  readonly section: unknown
  readonly dataDirectory: string
}

export function validateConfigTool({ section, dataDirectory }: ValidateConfigParts): SocialTool {
  return answering({
    name: 'validate_config',
    title: 'Validate configuration',
    description:
      'Whether the configuration that the worker was started with is valid, and can be used now: keys and ranges, files that hold secrets, directories of media. Names all problems at once. A changed config file counts from the next start.',
    input: z.object({}),
    data: z.strictObject({ valid: z.boolean(), errors: z.array(z.string()) }),
    marks: reads,
    answer: async () => {
      const errors = await configProblems(section, dataDirectory)
      return { data: { valid: errors.length === 0, errors: [...errors] } }
    },
  })
}
