import { ModuleError } from '../session/module-api.js'
import { type HelpSource, helpText, unknownTopic } from './help.js'

/** The answer to `docs` of the Python module: what weave_help says. Throws a ModuleError. */
export function docs(params: { readonly [name: string]: unknown }, source: HelpSource): string {
  const topic = params['topic'] ?? 'overview'
  if (typeof topic !== 'string') throw new ModuleError('TypeError', 'topic of docs must be text.')
  const found = helpText(topic, source)
  if (found === undefined) throw new ModuleError('NotFoundError', unknownTopic(topic, source))
  return found
}
