import { z } from 'zod'
import { redactedConfig, type SocialConfig } from '../config.js'
import { answering, reads, type SocialTool } from './social-tool.js'

export function getConfigTool({ config }: { readonly config: SocialConfig }): SocialTool {
  return answering({
    name: 'get_config',
    title: 'Get configuration',
    description:
      'The whole configuration that is in force, defaults included, as the section "social" of the config file has it. Secrets are redacted; URLs are without user and query.',
    input: z.object({}),
    data: z.looseObject({}),
    marks: reads,
    answer: async () => ({ data: redactedConfig(config) }),
  })
}
