import type { SocialConfig } from '../../config.js'
import type { Foundation } from '../../foundation.js'
import type { HttpClient } from '../../http/http-client.js'
import { anthropicMessages } from './anthropic-messages.js'
import { chatCompletions } from './chat-completions.js'
import { HttpModel } from './http-model.js'
import type { LanguageModel } from './language-model.js'
import { recordUsage } from './record-usage.js'

type Provider = Exclude<SocialConfig['llm']['provider'], 'none'>

const usualBaseUrls: Readonly<Record<Provider, string>> = {
  openai: 'https://api.openai.com/v1',
  groq: 'https://api.groq.com/openai/v1',
  ollama: 'http://localhost:11434/v1',
  anthropic: 'https://api.anthropic.com/v1',
}

/** The configured one, if any is: a provider is never named without its model. */
export function openLanguageModel(foundation: Foundation, http: HttpClient): LanguageModel | undefined {
  const { provider, model, base_url, api_key } = foundation.config.llm
  if (provider === 'none' || model === undefined) return undefined
  const baseUrl = (base_url ?? usualBaseUrls[provider]).replace(/\/+$/, '')
  return new HttpModel({
    provider,
    model,
    baseUrl,
    host: new URL(baseUrl).host,
    key: api_key,
    dialect: provider === 'anthropic' ? anthropicMessages : chatCompletions,
    clock: foundation.clock,
    http,
    spent: (request, tokens) => recordUsage(foundation, { provider, model, request, tokens }),
  })
}
