import { parseSocialConfig } from '../../src/config.js'
import type { ContentWriter } from '../../src/content/content-writer.js'
import { openContentWriter } from '../../src/content/open-content-writer.js'
import { HttpClient } from '../../src/http/http-client.js'
import { LlmServer, type LlmServerOptions } from './llm-server.js'
import { openTestFoundation, type TestFoundation } from './test-foundation.js'

export interface ContentRig extends AsyncDisposable {
  readonly server: LlmServer
  readonly foundation: TestFoundation
  readonly writer: ContentWriter
  /** Another one over the same server and database, with another section `social`. */
  writerFor(config: { readonly llm?: object; readonly [section: string]: unknown }): ContentWriter
}

export interface ContentRigOptions {
  readonly provider?: 'openai' | 'groq' | 'ollama' | 'anthropic'
  readonly server?: LlmServerOptions
  /** Of the section `social`, beside `llm`. */
  readonly config?: object
  /** Of the section `social.llm`. */
  readonly llm?: object
  readonly random?: () => number
}

/** A writer whose model is a fake one behind real HTTP. */
export async function openContentRig(options: ContentRigOptions = {}): Promise<ContentRig> {
  const { provider = 'openai', config = {}, llm = {}, random } = options
  const server = await LlmServer.start(options.server)
  const whole = (section: { readonly llm?: object }) => ({
    ...section,
    llm: { provider, model: 'test-model', base_url: server.url, api_key: 'sk-secret', ...llm, ...section.llm },
  })
  const foundation = await openTestFoundation({ config: whole(config), ...(random !== undefined && { random }) })
  const http = new HttpClient(foundation.clock)
  return {
    server,
    foundation,
    writer: openContentWriter(foundation, http),
    writerFor: (section) => openContentWriter({ ...foundation, config: parseSocialConfig(whole(section)) }, http),
    async [Symbol.asyncDispose]() {
      await foundation[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
