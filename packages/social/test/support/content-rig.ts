import type { ContentWriter } from '../../src/content/content-writer.js'
import { openContentWriter } from '../../src/content/open-content-writer.js'
import { HttpClient } from '../../src/http/http-client.js'
import { LlmServer, type LlmServerOptions } from './llm-server.js'
import { openTestFoundation, type TestFoundation } from './test-foundation.js'

export interface ContentRig extends AsyncDisposable {
  readonly server: LlmServer
  readonly foundation: TestFoundation
  readonly writer: ContentWriter
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
  const foundation = await openTestFoundation({
    config: { ...config, llm: { provider, model: 'test-model', base_url: server.url, api_key: 'sk-secret', ...llm } },
    ...(random !== undefined && { random }),
  })
  return {
    server,
    foundation,
    writer: openContentWriter(foundation, new HttpClient(foundation.clock)),
    async [Symbol.asyncDispose]() {
      await foundation[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
