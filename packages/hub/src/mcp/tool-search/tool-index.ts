import type { ToolDefinition } from '@callboard/protocol'
import MiniSearch from 'minisearch'
import type { KnownTool } from '../../port.js'
import { isRecord } from '../json-rpc.js'
import * as limits from './limits.js'
import { termOf, wordsOf } from './words.js'

interface Entry {
  readonly id: number
  readonly name: string
  readonly title: string
  readonly service: string
  readonly parameters: string
  readonly description: string
}

export interface ToolQuery {
  readonly words: string
  /** Only tools of this service. */
  readonly service?: string
}

/** Ranks the tools of one list by how well they fit a question in words (BM25). */
export class ToolIndex {
  readonly #tools: readonly KnownTool[]
  readonly #index: MiniSearch<Entry>

  private constructor(tools: readonly KnownTool[], index: MiniSearch<Entry>) {
    this.#tools = tools
    this.#index = index
  }

  static async of(tools: readonly KnownTool[]): Promise<ToolIndex> {
    const index = new MiniSearch<Entry>({
      fields: ['name', 'title', 'service', 'parameters', 'description'],
      tokenize: wordsOf,
      processTerm: termOf,
    })
    await index.addAllAsync(tools.map(entryOf), { chunkSize: limits.indexedPerTurn })
    return new ToolIndex(tools, index)
  }

  /** Best first; equally good ones in the list's order. */
  search({ words, service }: ToolQuery): KnownTool[] {
    const asked = wordsOf(words.slice(0, limits.queryLengthMax)).slice(0, limits.queryWordsMax).join(' ')
    const found = this.#index.search(asked, {
      boost: { name: 3, title: 2, service: 2, parameters: 0.5 },
      prefix: (term) => term.length >= 3,
      // A short word with a letter changed is another word.
      fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
      maxFuzzy: limits.fuzzyLettersMax,
      weights: { prefix: 0.4, fuzzy: 0.3 },
      ...(service !== undefined && { filter: ({ id }) => this.#tools[id as number]!.service === service }),
    })
    const named = words.trim().toLowerCase()
    return found
      .map(({ id, score, queryTerms }) => {
        const tool = this.#tools[id as number]!
        const isNamed = tool.definition.name.toLowerCase() === named
        // One rare word of the question must not outweigh all others.
        return { id: id as number, tool, score: isNamed ? Number.POSITIVE_INFINITY : score * queryTerms.length }
      })
      .sort((one, other) => (other.score > one.score ? 1 : other.score < one.score ? -1 : one.id - other.id))
      .map(({ tool }) => tool)
  }
}

function entryOf({ service, definition }: KnownTool, id: number): Entry {
  const { name, title, description } = definition
  return {
    id,
    name,
    title: textOf(title).slice(0, limits.indexedNameLengthMax),
    service,
    parameters: parameterNames(definition)
      .slice(0, limits.indexedParametersMax)
      .map((parameter) => parameter.slice(0, limits.indexedNameLengthMax))
      .join(' '),
    description: textOf(description).slice(0, limits.indexedDescriptionLengthMax),
  }
}

export function parameterNames({ inputSchema }: ToolDefinition): string[] {
  const properties = isRecord(inputSchema) ? inputSchema['properties'] : undefined
  return isRecord(properties) ? Object.keys(properties) : []
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
