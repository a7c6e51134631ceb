import type { z } from 'zod'
import type { Completer, PromptSpec, ResourceSpec, ToolSpec, View, WorkerOptions } from './api.js'

/** The compiler sees to it that none is missing and none too many. */
function namesOf<Options>(names: { readonly [name in keyof Required<Options>]: true }): readonly string[] {
  return Object.keys(names)
}

const shown = { title: true, description: true, icons: true, meta: true } as const
const read = { ...shown, name: true, mimeType: true, size: true, annotations: true } as const

export const workerOptions = namesOf<WorkerOptions>({
  service: true,
  version: true,
  concurrency: true,
  replicas: true,
  affinity: true,
  drainMs: true,
  holdUntil: true,
  formatError: true,
})

export const toolOptions = namesOf<ToolSpec<z.ZodObject, z.ZodType>>({
  ...shown,
  input: true,
  output: true,
  annotations: true,
  execution: true,
  inputSchema: true,
  timeoutMs: true,
  roles: true,
  listed: true,
})

export const resourceOptions = namesOf<ResourceSpec>(read)

export const templateOptions = namesOf<ResourceSpec & { readonly complete?: Completer }>({ ...read, complete: true })

export const promptOptions = namesOf<PromptSpec>({ ...shown, arguments: true, complete: true })

export const promptArgumentOptions = namesOf<NonNullable<PromptSpec['arguments']>[number]>({
  name: true,
  title: true,
  description: true,
  required: true,
})

export const viewOptions = namesOf<View>({ hide: true, show: true, tools: true })

export const hiddenOptions = namesOf<NonNullable<View['hide']>>({ tools: true, prompts: true, resources: true })

export const shownOptions = namesOf<NonNullable<View['show']>>({ tools: true })
