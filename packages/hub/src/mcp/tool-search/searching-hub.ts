import type { ToolDefinition } from '@callboard/protocol'
import { didYouMean, nearestName } from '@callboard/protocol/nearest-name'
import type { CallWish } from '../../broker/events.js'
import type {
  AgentCall,
  CallOutcome,
  CallSink,
  CatalogueView,
  Connection,
  ConnectionListener,
  HubPort,
  Identity,
  KnownTool,
  ListScope,
  Turn,
} from '../../port.js'
import { parseBody } from '../agent-result.js'
import { scopeOf } from '../client-descriptor.js'
import { invalidParams } from '../json-rpc.js'
import { wholeWithinBudget, withinBudget } from './matches.js'
import {
  callToolDefinition,
  callToolName,
  isOwnName,
  parseCallArguments,
  parseSearchArguments,
  type SearchArguments,
  searchToolsName,
} from './own-tools.js'
import { type SearchedList, SearchedLists } from './searched-list.js'

/** Lists tools by search for those agents whose view says so; for all others nothing changes. */
export function withToolSearch(hub: HubPort): HubPort {
  const lists = new SearchedLists()
  return {
    open: (identity, listener) => {
      const { view } = identity
      if (view === undefined || view.mode === 'all') return hub.open(identity, listener)
      return new SearchingConnection(hub, { identity, view, listener, lists })
    },
  }
}

interface SearchingOptions {
  readonly identity: Identity
  readonly view: CatalogueView
  readonly listener: ConnectionListener
  readonly lists: SearchedLists
}

/** A connection whose tools are found by search while there are too many of them; calls pass as they are. */
class SearchingConnection implements Connection {
  readonly identity: Identity
  readonly #view: CatalogueView
  readonly #lists: SearchedLists
  readonly #inner: Connection
  /** The lists that clients may have, since they were last told; undefined: a whole one. */
  readonly #given: Record<ListScope, Set<string | undefined>> = { session: new Set(), principal: new Set() }

  #turns = 0
  readonly #begun = new Map<Turn, AbortController>()

  constructor(hub: HubPort, { identity, view, listener, lists }: SearchingOptions) {
    this.identity = identity
    this.#view = view
    this.#lists = lists
    this.#inner = hub.open(identity, {
      listChanged: (kind, scope) => {
        if (kind !== 'tools' || this.#isNews(scope)) listener.listChanged(kind, scope)
      },
      resourceUpdated: (uri) => listener.resourceUpdated(uri),
      ended: () => listener.ended(),
    })
  }

  tools(scope: ListScope): readonly ToolDefinition[] {
    const list = this.#list(scope)
    const shown = list.isLargeFor(this.#view) ? list.shownWith(this.#view.pinned) : undefined
    this.#given[scope].add(shown?.signature)
    return shown?.tools ?? list.tools
  }

  tool(name: string): KnownTool | undefined {
    const own = this.#isOurs(name, 'session') ? this.#own(name) : undefined
    return own ?? this.#inner.tool(name)
  }

  begin(call: CallWish, sink: CallSink): Turn {
    const abort = new AbortController()
    const turn = ++this.#turns
    this.#begun.set(turn, abort)
    const { onProgress, onLog } = sink
    const listeners = {
      ...(onProgress && { onProgress: onProgress.bind(sink) }),
      ...(onLog && { onLog: onLog.bind(sink) }),
    }
    void this.call({ ...call, ...listeners, signal: abort.signal }).then((outcome) => {
      this.#begun.delete(turn)
      sink.settled(outcome)
    })
    return turn
  }

  cancel(turn: Turn): void {
    this.#begun.get(turn)?.abort()
  }

  async call(call: AgentCall): Promise<CallOutcome> {
    if (call.method !== 'tools/call') return this.#inner.call(call)
    const scope = scopeOf(call.client.generation)
    if (!isOwnName(call.name)) return this.#passOn(call, scope)
    await this.#inner.catalogueKnown()
    if (!this.#isOurs(call.name, scope)) return this.#passOn(call, scope)
    const params = parseBody(call.body) ?? {}
    return call.name === searchToolsName ? this.#search(params, scope) : this.#callTool(call, params, scope)
  }

  /** Whether what clients may have is not what they would be given now. */
  #isNews(scope: ListScope): boolean {
    const list = this.#list(scope)
    const now = list.isLargeFor(this.#view) ? list.shownWith(this.#view.pinned).signature : undefined
    const given = this.#given[scope]
    const isOld = now !== undefined && given.size > 0 && [...given].every((signature) => signature === now)
    // Whoever is told asks again, and gets this one or a later one.
    given.clear()
    given.add(now)
    return !isOld
  }

  #list(scope: ListScope): SearchedList {
    return this.#lists.of(this.#inner.tools(scope), (name) => this.#inner.tool(name))
  }

  /** A client that was shown our tools may use them also when the list has become small, unless a worker has the name. */
  #isOurs(name: string, scope: ListScope): boolean {
    if (!isOwnName(name)) return false
    return this.#inner.tool(name) === undefined || this.#list(scope).isLargeFor(this.#view)
  }

  #own(name: string): KnownTool {
    const [search] = this.#list('session').shownWith([]).tools
    return { service: 'callboard', workerName: name, definition: name === callToolName ? callToolDefinition : search! }
  }

  async #search(params: Record<string, unknown>, scope: ListScope): Promise<CallOutcome> {
    const asked = parseSearchArguments(params['arguments'])
    if (typeof asked === 'string') return answer({ content: [text(asked)], isError: true })
    const list = this.#list(scope)
    const found = asked.names === undefined ? await matching(list, asked) : named(list, asked.names)
    return answer({ content: [text(JSON.stringify(found))] })
  }

  async #callTool(call: AgentCall, params: Record<string, unknown>, scope: ListScope): Promise<CallOutcome> {
    const wish = parseCallArguments(params['arguments'])
    if (typeof wish === 'string') return answer({ content: [text(wish)], isError: true })
    const body = Buffer.from(JSON.stringify({ ...params, name: wish.name, arguments: wish.arguments }))
    return this.#passOn({ ...call, name: wish.name, body }, scope)
  }

  /** The front end would look for a similar name in what is listed, which is not all. */
  async #passOn(call: AgentCall, scope: ListScope): Promise<CallOutcome> {
    const outcome = await this.#inner.call(call)
    if (outcome.kind !== 'unknown') return outcome
    const nearest = nearestName(call.name, namesOf(this.#list(scope)))
    const message = `Unknown tool: ${call.name}${nearest === undefined ? '' : `. Did you mean ${nearest}?`}`
    return { kind: 'error', body: json({ code: invalidParams, message }) }
  }

  // The rest is passed on -----------------------------------------------------------------------------------------------

  catalogueKnown = (): Promise<void> => this.#inner.catalogueKnown()
  resources: Connection['resources'] = (scope) => this.#inner.resources(scope)
  resourceTemplates: Connection['resourceTemplates'] = (scope) => this.#inner.resourceTemplates(scope)
  prompts: Connection['prompts'] = (scope) => this.#inner.prompts(scope)
  services: Connection['services'] = () => this.#inner.services()
  completes = (): boolean => this.#inner.completes()
  resume: Connection['resume'] = (id, body, turn) => this.#inner.resume(id, body, turn)
  abandon: Connection['abandon'] = (id) => this.#inner.abandon(id)
  subscribe = (uri: string): void => this.#inner.subscribe(uri)
  unsubscribe = (uri: string): void => this.#inner.unsubscribe(uri)
  rootsChanged = (): void => this.#inner.rootsChanged()
  close = (): void => this.#inner.close()
  leave = (): void => this.#inner.leave()
}

async function matching(list: SearchedList, { query, service, limit }: SearchArguments): Promise<object> {
  const found =
    query === undefined
      ? list.known.filter((tool) => tool.service === service)
      : (await list.index).search({ words: query, ...(service !== undefined && { service }) })
  const tools = withinBudget(found.slice(0, limit).map(({ definition }) => definition))
  const more = found.length - tools.length
  if (found.length > 0) return { tools, ...(more > 0 && { more }) }
  return {
    tools,
    hint: `Nothing fits. Try other words, or "service": one of ${list.services.join(', ').slice(0, 600)}.`,
  }
}

function named(list: SearchedList, names: readonly string[]): object {
  const byName = new Map(list.tools.map((tool) => [tool.name, tool]))
  const found = [...new Set(names)].flatMap((name) => byName.get(name) ?? [])
  const tools = wholeWithinBudget(found)
  const leftOut = found.filter((tool) => !tools.includes(tool)).map(({ name }) => name)
  const unknown = names.filter((name) => !byName.has(name)).map((name) => `${name}${didYouMean(name, namesOf(list))}`)
  return { tools, ...(leftOut.length > 0 && { leftOut }), ...(unknown.length > 0 && { unknown }) }
}

const namesOf = (list: SearchedList): string[] => list.tools.map(({ name }) => name)

const text = (content: string) => ({ type: 'text', text: content })

const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value))

function answer(result: { readonly content: readonly object[]; readonly isError?: boolean }): CallOutcome {
  return { kind: 'result', body: json(result), isError: result.isError ?? false, trusted: true }
}
