import { z } from 'zod'
import { parseJson } from './parse-json.js'

const schema = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })).nullable() })

/** Whether the model is in that list; undefined when it is no list. Ollama's names end in `:latest` where nothing is said. */
export function listsModel(body: string, model: string): boolean | undefined {
  const list = schema.safeParse(parseJson(body)).data
  // A server without any model says null.
  return list && (list.data ?? []).some(({ id }) => id === model || id === `${model}:latest`)
}
