import { bodyBytesMax, type Definitions, toolsPerWorkerMax } from '@callboard/protocol'
import type { Completer, PromptSpec, ResourceReader, ResourceSpec, Worker } from './api.js'
import { encodeJson } from './json-body.js'
import { requireFunction, requireKnown, requireName, requireText, requireUri } from './names.js'
import { promptArgumentOptions, promptOptions, resourceOptions, templateOptions } from './option-names.js'
import type { Tool } from './tool.js'
import { parseUriTemplate, type UriTemplate } from './uri-template.js'

type Kind = Parameters<Worker['remove']>[0]

export interface Resource {
  readonly spec: ResourceSpec
  readonly read: ResourceReader
}

export interface ResourceTemplate extends Resource {
  readonly template: UriTemplate
  readonly complete?: Completer
}

export interface Prompt {
  readonly spec: PromptSpec
  readonly get: Parameters<Worker['prompt']>[2]
}

/** Everything that a worker offers, by name; what the hub is told about it. */
export class Catalogue {
  readonly tools = new Map<string, Tool>()
  readonly resources = new Map<string, Resource>()
  readonly templates = new Map<string, ResourceTemplate>()
  readonly prompts = new Map<string, Prompt>()

  addTool(tool: Tool): void {
    const { name } = tool.definition
    if (!this.tools.has(name) && this.tools.size >= toolsPerWorkerMax) {
      throw new RangeError(`tool ${name}: a worker has at most ${toolsPerWorkerMax} tools`)
    }
    this.tools.set(name, tool)
  }

  addResource(uri: string, spec: ResourceSpec, read: ResourceReader): void {
    requireUri('resource', uri)
    requireKnown(`resource ${uri}`, spec, resourceOptions)
    requireText(`resource ${uri}: name`, spec.name)
    requireFunction(`resource ${uri}: reader`, read)
    this.resources.set(uri, { spec, read })
  }

  addTemplate(uriTemplate: string, spec: ResourceSpec & { readonly complete?: Completer }, read: ResourceReader): void {
    requireUri('resource template', uriTemplate)
    requireKnown(`resource template ${uriTemplate}`, spec, templateOptions)
    requireText(`resource template ${uriTemplate}: name`, spec.name)
    requireFunction(`resource template ${uriTemplate}: reader`, read)
    const { complete, ...rest } = spec
    const template = parseUriTemplate(uriTemplate)
    this.templates.set(uriTemplate, { spec: rest, read, template, ...(complete === undefined ? {} : { complete }) })
  }

  addPrompt(name: string, spec: PromptSpec, get: Prompt['get']): void {
    requireName('prompt', name)
    requireKnown(`prompt ${name}`, spec, promptOptions)
    requireFunction(`prompt ${name}: handler`, get)
    for (const argument of spec.arguments ?? []) {
      requireKnown(`prompt ${name}: argument`, argument, promptArgumentOptions)
      requireText(`prompt ${name}: argument name`, argument.name)
    }
    this.prompts.set(name, { spec, get })
  }

  remove(kind: Kind, name: string): boolean {
    switch (kind) {
      case 'tool':
        return this.tools.delete(name)
      case 'resource':
        return this.resources.delete(name)
      case 'resourceTemplate':
        return this.templates.delete(name)
      case 'prompt':
        return this.prompts.delete(name)
      default:
        return kind satisfies never
    }
  }

  /** JSON of the {@link Definitions}. Throws when it is too large for a message. */
  encode(): Uint8Array {
    const body = encodeJson(this.definitions())
    if (body.byteLength <= bodyBytesMax) return body
    throw new RangeError(`the definitions have ${body.byteLength} bytes; the hub takes ${bodyBytesMax}`)
  }

  definitions(): Definitions {
    const completions = [
      ...[...this.prompts].filter(([, { spec }]) => spec.complete !== undefined).map(([name]) => name),
      ...[...this.templates].filter(([, { complete }]) => complete !== undefined).map(([uriTemplate]) => uriTemplate),
    ]
    return {
      tools: [...this.tools.values()].map(({ definition }) => definition),
      resources: [...this.resources].map(([uri, { spec }]) => ({ uri, ...described(spec) })),
      resourceTemplates: [...this.templates].map(([uriTemplate, { spec }]) => ({ uriTemplate, ...described(spec) })),
      prompts: [...this.prompts].map(([name, { spec }]) => promptDefinition(name, spec)),
      completions,
    }
  }

  /** The resource itself, else the first template that the URI fits. */
  findReader(uri: string): (Resource & { readonly variables: { readonly [name: string]: string } }) | undefined {
    const resource = this.resources.get(uri)
    if (resource !== undefined) return { ...resource, variables: {} }
    for (const { template, spec, read } of this.templates.values()) {
      const variables = template.match(uri)
      if (variables !== undefined) return { spec, read, variables }
    }
    return undefined
  }
}

function described<Spec extends ResourceSpec | PromptSpec>({ meta, ...spec }: Spec) {
  return { ...spec, ...(meta === undefined ? {} : { _meta: meta }) }
}

function promptDefinition(name: string, { complete: _, ...spec }: PromptSpec) {
  return { name, ...described(spec) }
}
