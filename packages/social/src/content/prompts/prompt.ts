import type { Fence } from './fence.js'

/** All that the model is told of one text. */
export interface Prompt {
  readonly system: string
  readonly user: string
  readonly fence: Fence
  /** Sentences of ours that no post may hold. */
  readonly rules: readonly string[]
}

/** What holds for every text. */
export function commonRules(hashtagsAreAsked: boolean, fence: Fence): readonly string[] {
  return [
    'Write the text itself and nothing else: no introduction, no explanation, no quotation marks around it, no Markdown.',
    'Invent no facts, no numbers, no quotations and no experiences. Say what can be said without them.',
    'Use no link and no @name that the task does not give.',
    ...(hashtagsAreAsked ? [] : ['Use no hashtags.']),
    fence.rule,
  ]
}

export function systemPrompt(persona: string, rules: readonly string[]): string {
  return `${persona}\n\nRules:\n${rules.map((rule) => `- ${rule}`).join('\n')}`
}
