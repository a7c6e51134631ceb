import type { ToolDefinition } from '@callboard/protocol'
import { patternTest } from '../../broker/tool-filter.js'
import type { CatalogueView, KnownTool } from '../../port.js'
import { tokensOf } from './matches.js'
import { callToolDefinition, isOwnName, searchToolsDefinition } from './own-tools.js'
import { ToolIndex } from './tool-index.js'

/** What an agent is shown instead of the whole list. */
export interface ShownList {
  readonly tools: readonly ToolDefinition[]
  /** The same for lists that are the same. */
  readonly signature: string
}

/** One list of tools, with what is made of it when it is first needed, once for all agents that have this list. */
export class SearchedList {
  readonly tools: readonly ToolDefinition[]
  /** By whoever asked last: a session that asked before may have ended, and its own tools with it. */
  #find: (name: string) => KnownTool | undefined
  readonly #shown = new Map<string, ShownList>()
  readonly #isAbove = new Map<number, boolean>()
  #known: readonly KnownTool[] | undefined
  #index: Promise<ToolIndex> | undefined

  constructor(tools: readonly ToolDefinition[], find: (name: string) => KnownTool | undefined) {
    this.tools = tools
    this.#find = find
  }

  /** As they are in the list: in this session a name may mean another one. */
  get known(): readonly KnownTool[] {
    this.#known ??= this.tools.flatMap((definition) => {
      const found = this.#find(definition.name)
      return found === undefined ? [] : [{ ...found, definition }]
    })
    return this.#known
  }

  foundBy(find: (name: string) => KnownTool | undefined): this {
    this.#find = find
    return this
  }

  get index(): Promise<ToolIndex> {
    this.#index ??= ToolIndex.of(this.known)
    return this.#index
  }

  get services(): string[] {
    return [...new Set(this.known.map(({ service }) => service))]
  }

  isLargeFor({ mode, searchAboveTokens }: CatalogueView): boolean {
    if (mode !== 'auto') return mode === 'search'
    const known = this.#isAbove.get(searchAboveTokens)
    if (known !== undefined) return known
    let tokens = 0
    const isAbove = this.tools.some((tool) => {
      tokens += tokensOf(tool)
      return tokens > searchAboveTokens
    })
    this.#isAbove.set(searchAboveTokens, isAbove)
    return isAbove
  }

  shownWith(pinned: readonly string[]): ShownList {
    const key = pinned.join(' ')
    const known = this.#shown.get(key)
    if (known !== undefined) return known
    const tests = pinned.map(patternTest)
    const isPinned = ({ service, workerName, definition: { name } }: KnownTool) =>
      !isOwnName(name) && tests.some((test) => test({ service, key: name, workerKey: workerName }))
    const tools = [
      searchToolsDefinition(this.services, this.known.length),
      callToolDefinition,
      ...this.known.filter(isPinned).map(({ definition }) => definition),
    ]
    const shown = { tools, signature: JSON.stringify(tools) }
    this.#shown.set(key, shown)
    return shown
  }
}

/** By the very list: the hub gives the same one until it changes, and an old one is forgotten with what was made of it. */
export class SearchedLists {
  readonly #lists = new WeakMap<readonly ToolDefinition[], SearchedList>()

  of(tools: readonly ToolDefinition[], find: (name: string) => KnownTool | undefined): SearchedList {
    const list = this.#lists.get(tools) ?? new SearchedList(tools, find)
    this.#lists.set(tools, list)
    return list.foundBy(find)
  }
}
