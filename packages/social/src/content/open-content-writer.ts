import type { Foundation } from '../foundation.js'
import type { HttpClient } from '../http/http-client.js'
import type { ContentWriter } from './content-writer.js'
import { openLanguageModel } from './model/open-language-model.js'
import { ModelWriter } from './model-writer.js'
import { TemplateWriter } from './template-writer.js'

export function openContentWriter(foundation: Foundation, http: HttpClient): ContentWriter {
  const model = openLanguageModel(foundation, http)
  return model === undefined ? new TemplateWriter(foundation) : new ModelWriter(foundation, model)
}
