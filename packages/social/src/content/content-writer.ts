import type { NetworkAdapter } from '../networks/network-adapter.js'

export const archetypes = [
  'agree_and_expand',
  'ask_question',
  'share_experience',
  'add_data',
  'respectful_disagree',
] as const
export type Archetype = (typeof archetypes)[number]

export const formats = [
  'list',
  'contrarian_take',
  'most_people_think_x',
  'storytelling',
  'before_after',
  'question',
  'tip',
] as const
export type Format = (typeof formats)[number]

export const structures = ['transformation', 'framework', 'mistakes', 'analysis'] as const
export type Structure = (typeof structures)[number]

export interface Written {
  /** One text; 5 to 8 for a thread. Each fits the network. */
  readonly parts: readonly string[]
  readonly generatedBy: 'llm' | 'template'
  readonly topic?: string
  /** Archetype, format or structure. */
  readonly shape: string
  readonly warnings: readonly string[]
}

export interface ReplyWish {
  readonly network: NetworkAdapter
  /** A stranger's. */
  readonly text: string
  readonly author: string
  readonly mentionProduct: boolean
  /** Default: by weight. */
  readonly archetype?: Archetype
  readonly principal?: string
}

export interface PostWish {
  readonly network: NetworkAdapter
  /** Default: a random one of the industry topics. */
  readonly topic?: string
  readonly format?: Format
  readonly principal?: string
}

export interface ThreadWish {
  readonly network: NetworkAdapter
  readonly topic?: string
  readonly structure?: Structure
  /** 5 to 8. */
  readonly parts?: number
  readonly principal?: string
}

/**
 * Writes by the configured model, or without one by templates; a model that fails is `llm_error`, never a template. Rejects
 * with a SocialFailure: `llm_error`, `llm_not_configured`, `tweet_too_long`.
 */
export interface ContentWriter {
  /** Whether a model is configured. */
  readonly hasModel: boolean
  reply(wish: ReplyWish, signal?: AbortSignal): Promise<Written>
  post(wish: PostWish, signal?: AbortSignal): Promise<Written>
  thread(wish: ThreadWish, signal?: AbortSignal): Promise<Written>
  /** Lists models, at most once a minute. For health_check; never rejects. */
  check(signal?: AbortSignal): Promise<{ readonly status: 'ok' | 'error' | 'not_configured'; readonly message: string }>
}
