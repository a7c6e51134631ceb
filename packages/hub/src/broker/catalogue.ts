import type {
  Affinity,
  DefinitionKind,
  Definitions,
  DefinitionVerdicts,
  Replicas,
  SessionView,
  WorkerMethod,
} from '@callboard/protocol'
import type { ListScope } from '../port.js'
import { type CatalogueChanges, ChangeLog } from './catalogue-changes.js'
import {
  acceptedOnly,
  type Candidate,
  candidates,
  type Definition,
  define,
  formProblem,
  hashOf,
  type Listed,
  literalPrefix,
} from './definition.js'
import type { PeerId } from './events.js'
import { exposedName, safeToolName } from './exposed-name.js'
import {
  absentCharactersMax,
  absentServicesMax,
  catalogueCharactersMax,
  definitionCharactersMax,
  definitionsPerServiceMax,
  forgetServiceMs,
} from './limits.js'
import { type Hidden, SessionViews, type ViewChange } from './session-views.js'
import { compareVersions } from './versions.js'
import { type Viewer, ViewerLists } from './viewer-lists.js'

/** A service as it is kept over a restart of the hub. */
export interface StoredService {
  readonly service: string
  readonly version: string
  readonly replicas: Replicas
  readonly affinity: Affinity
  readonly lastSeenAt: number
  /** It proved itself: its names can't be taken by one that did not. */
  readonly trusted: boolean
  readonly definitions: Definitions
}

/** What one signed-in worker offers. */
export interface Offer {
  readonly service: string
  readonly version: string
  readonly replicas: Replicas
  readonly affinity: Affinity
  readonly definitions: Definitions
  readonly trusted: boolean
}

interface KeptOffer extends Offer {
  /** `kind key` of each definition: asked for with every call. */
  readonly keys: ReadonlySet<string>
}

type Verdict = DefinitionVerdicts['refused'][number]

export interface CatalogueOptions {
  /** `always`: agents see `service_name` instead of `name`. */
  readonly namespace: 'never' | 'always'
  /** Finds fault with a definition beyond its form; a client must be able to read every listed one. */
  readonly inspect: (kind: DefinitionKind, value: { readonly [key: string]: unknown }) => string | undefined
}

interface ServiceEntry {
  readonly service: string
  stored: StoredService
  readonly offers: Map<PeerId, KeptOffer>
  definitions: Definition[]
}

/**
 * Who offers what. A service keeps its definitions while its workers are away; a name belongs to the service that
 * claimed it first.
 */
export class Catalogue {
  readonly #options: CatalogueOptions
  readonly #services = new Map<string, ServiceEntry>()
  /** The definition in force for each name, URI and template. */
  readonly #byKey: Readonly<Record<DefinitionKind, Map<string, Definition>>> = {
    tool: new Map(),
    resource: new Map(),
    resourceTemplate: new Map(),
    prompt: new Map(),
  }
  readonly #views = new SessionViews()
  readonly #lists = new ViewerLists()
  readonly #changes = new ChangeLog()
  /** Of all accepted definitions. */
  #characters = 0

  constructor(options: CatalogueOptions) {
    this.#options = options
  }

  restore(services: readonly StoredService[], now: number): void {
    for (const stored of services) {
      if (this.#services.has(stored.service) || now - stored.lastSeenAt > forgetServiceMs) continue
      const entry: ServiceEntry = { service: stored.service, stored, offers: new Map(), definitions: [] }
      this.#services.set(stored.service, entry)
      this.#list(entry, stored.definitions)
    }
    this.#forgetAbsent(now)
  }

  store(now: number): StoredService[] {
    return [...this.#services.values()]
      .map(({ stored, offers }) => (offers.size > 0 ? { ...stored, lastSeenAt: now } : stored))
      .sort((one, other) => byText(one.service, other.service))
  }

  /** Takes in what a worker offers, or offers now instead. */
  offer(peer: PeerId, offer: Offer, now: number): DefinitionVerdicts {
    this.#forgetAbsent(now)
    const entry = this.#services.get(offer.service) ?? this.#createEntry(offer, now)
    const keys = new Set(candidates(offer.definitions).map(({ kind, key }) => `${kind} ${key}`))
    entry.offers.set(peer, { ...offer, keys })
    this.#changes.isToKeep = true
    return { refused: this.#relist(entry, now, peer) }
  }

  withdraw(peer: PeerId, service: string, now: number): void {
    const entry = this.#services.get(service)
    if (entry === undefined || !entry.offers.delete(peer)) return
    entry.stored = { ...entry.stored, lastSeenAt: now }
    this.#changes.isToKeep = true
    if (entry.offers.size > 0) this.#relist(entry, now, undefined)
    else this.#forgetAbsent(now)
  }

  /** Hides definitions from one session, or shows them again; false when there are too many views. */
  setView(service: string, session: string, view: SessionView, principal: string | undefined): boolean {
    const changes = this.#views.set(service, session, view, principal)
    this.#noteViews(changes ?? [])
    return changes !== undefined
  }

  openSession(session: string, principal: string): void {
    this.#noteViews(this.#views.open(session, principal))
  }

  closeSession(session: string, principal: string | undefined): void {
    this.#changes.forget(session)
    this.#noteViews(this.#views.close(session, principal))
  }

  /** Forgets what sessions saw that did not come back. */
  keepViews(isAlive: (session: string) => boolean): void {
    this.#views.keep(isAlive)
  }

  /** A list changed for a reason that no definition shows: for one session, or for all who see something of it. */
  noteListChange(
    service: string,
    kind: DefinitionKind,
    whose: { readonly session: string; readonly principal: string | undefined } | undefined,
  ): void {
    const concerned = this.#services.get(service)?.definitions.filter((definition) => definition.kind === kind) ?? []
    if (whose === undefined) return this.#changes.forAll(concerned)
    this.#changes.forOne('session', whose.session, concerned)
    if (whose.principal !== undefined) this.#changes.forOne('principal', whose.principal, concerned)
  }

  takeChanges(): CatalogueChanges {
    return this.#changes.take()
  }

  get hasChanges(): boolean {
    return !this.#changes.isEmpty
  }

  /** What a viewer sees, in a stable order: by service, then as the worker has it. */
  list(kind: DefinitionKind, viewer: Viewer, scope: ListScope): readonly Listed[] {
    return this.#lists.list(kind, viewer, this.hidden(scope, viewer), () => this.#inOrder())
  }

  /** Whether it exists for the viewer; {@link hidden} says what is left out of the list all the same. */
  sees(definition: Definition, viewer: Viewer): boolean {
    return this.#lists.sees(definition, viewer)
  }

  hidden(scope: ListScope, viewer: Viewer): Hidden | undefined {
    return this.#views.hidden(scope, viewer)
  }

  /** The same for viewers for whom the same exists. */
  viewerKey(viewer: Viewer): string {
    return this.#lists.keyOf(viewer)
  }

  /** By service: the tools in force. */
  toolsOf(service: string): readonly Definition[] {
    return this.#services.get(service)?.definitions.filter(({ kind }) => kind === 'tool') ?? []
  }

  /** In a stable order. */
  services({ services }: Viewer): string[] {
    const known = [...this.#services.keys()].filter((service) => services?.includes(service) ?? true)
    return known.sort(byText)
  }

  completes(): boolean {
    for (const { stored } of this.#services.values()) if ((stored.definitions.completions?.length ?? 0) > 0) return true
    return false
  }

  /** The definition that answers a call; undefined when there is none for this viewer. */
  resolve(method: WorkerMethod, name: string, viewer: Viewer): Definition | undefined {
    const definition = this.#find(method, name)
    return definition !== undefined && this.sees(definition, viewer) ? definition : undefined
  }

  /** Whether a service exists for this viewer: it sees something of it. */
  shows(service: string, viewer: Viewer): boolean {
    return this.#services.get(service)?.definitions.some((definition) => this.sees(definition, viewer)) ?? false
  }

  /** Whether this very worker offers the definition; a replica of another version may not. */
  offers(peer: PeerId, definition: Definition): boolean {
    const offer = this.#services.get(definition.service)?.offers.get(peer)
    return offer?.keys.has(`${definition.kind} ${definition.workerKey}`) ?? false
  }

  affinityOf(service: string): Affinity {
    return this.#services.get(service)?.stored.affinity ?? 'none'
  }

  describe(service: string): StoredService | undefined {
    return this.#services.get(service)?.stored
  }

  #find(method: WorkerMethod, name: string): Definition | undefined {
    switch (method) {
      case 'tools/call':
        // Whoever knows a tool by its worker's own name may use that, too.
        return this.#byKey.tool.get(name) ?? this.#byKey.tool.get(safeToolName(name))
      case 'prompts/get':
        return this.#byKey.prompt.get(name)
      case 'resources/read':
        return this.#byKey.resource.get(name) ?? this.#templateFor(name)
      case 'completion/complete':
        return this.#byKey.prompt.get(name) ?? this.#byKey.resourceTemplate.get(name)
    }
  }

  /** The template with the longest literal prefix; the worker decides whether the rest fits. */
  #templateFor(uri: string): Definition | undefined {
    let best: Definition | undefined
    let bestLength = -1
    for (const definition of this.#byKey.resourceTemplate.values()) {
      const prefix = literalPrefix(definition.key)
      if (prefix.length <= bestLength || !uri.startsWith(prefix)) continue
      best = definition
      bestLength = prefix.length
    }
    return best
  }

  #inOrder(): Definition[] {
    const entries = [...this.#services.values()].sort((one, other) => byText(one.service, other.service))
    return entries.flatMap(({ definitions }) => definitions)
  }

  #createEntry(offer: Offer, now: number): ServiceEntry {
    const stored = { ...offer, lastSeenAt: now }
    const entry: ServiceEntry = { service: offer.service, stored, offers: new Map(), definitions: [] }
    this.#services.set(offer.service, entry)
    return entry
  }

  /** The newest version is listed; among equals the one that was there first, so that a list does not flap. */
  #relist(entry: ServiceEntry, now: number, judged: PeerId | undefined): Verdict[] {
    let chosen: KeptOffer | undefined
    for (const offer of entry.offers.values()) {
      if (chosen === undefined || compareVersions(offer.version, chosen.version) > 0) chosen = offer
    }
    if (chosen === undefined) return []
    const { keys: _, ...offer } = chosen
    entry.stored = { ...offer, lastSeenAt: now }
    const refused = this.#list(entry, chosen.definitions)
    const own = judged === undefined ? undefined : entry.offers.get(judged)
    return own === undefined || own === chosen ? refused : this.#quarantined(entry, own, refused)
  }

  #quarantined(entry: ServiceEntry, own: Offer, refused: readonly Verdict[]): Verdict[] {
    const listed = new Set(entry.definitions.map(({ kind, workerKey }) => `${kind} ${workerKey}`))
    const known = new Set(refused.map(({ kind, name }) => `${kind} ${name}`))
    const verdicts = [...refused]
    for (const { kind, key } of candidates(own.definitions)) {
      if (listed.has(`${kind} ${key}`) || known.has(`${kind} ${key}`)) continue
      const message = `version ${entry.stored.version} of this service is listed and has no such ${kind}`
      verdicts.push({ kind, name: key, code: 'quarantined', message })
    }
    return verdicts
  }

  /** Takes the accepted ones into force and keeps nothing else of what was sent. */
  #list(entry: ServiceEntry, definitions: Definitions): Verdict[] {
    const before = entry.definitions
    const known = new Map(before.map((definition) => [definition.hash, definition]))
    for (const definition of before) this.#drop(definition)
    entry.definitions = []
    const refused: Verdict[] = []
    for (const candidate of candidates(definitions)) {
      const verdict = this.#judge(entry, candidate, known)
      if ('code' in verdict) {
        refused.push(verdict)
        continue
      }
      entry.definitions.push(verdict)
      this.#byKey[verdict.kind].set(verdict.key, verdict)
      this.#characters += verdict.characters
    }
    entry.stored = { ...entry.stored, definitions: acceptedOnly(entry.definitions, definitions) }
    this.#noteChanges(before, entry.definitions)
    return refused
  }

  #drop(definition: Definition): void {
    if (this.#byKey[definition.kind].get(definition.key) !== definition) return
    this.#byKey[definition.kind].delete(definition.key)
    this.#characters -= definition.characters
  }

  #judge(entry: ServiceEntry, candidate: Candidate, known: ReadonlyMap<string, Definition>): Definition | Verdict {
    const { kind } = candidate
    const refuse = (code: Verdict['code'], message: string, holder?: string): Verdict => ({
      kind,
      name: candidate.key.slice(0, 128),
      code,
      message,
      ...(holder === undefined ? {} : { holder }),
    })
    const text = JSON.stringify(candidate.value)
    const key = exposedName(kind, entry.service, candidate.key, this.#options.namespace)
    const same = known.get(hashOf(text, key))
    const problem = same === undefined ? this.#problemOf(entry, candidate, text) : undefined
    if (problem !== undefined) return refuse('invalid', problem)
    const holder = this.#holderOf(kind, key, entry)
    if (holder !== undefined) {
      return refuse('name_taken', `${key} belongs to ${holder}; rename it, or set "namespace": "always"`, holder)
    }
    return same ?? define(candidate, entry.service, key, text)
  }

  #problemOf(entry: ServiceEntry, candidate: Candidate, text: string): string | undefined {
    if (text.length > definitionCharactersMax) return `a definition has at most ${definitionCharactersMax} characters`
    if (entry.definitions.length >= definitionsPerServiceMax) {
      return `a service has at most ${definitionsPerServiceMax} definitions`
    }
    if (this.#characters + text.length > catalogueCharactersMax) return 'the catalogue is full'
    return formProblem(candidate) ?? this.#options.inspect(candidate.kind, candidate.value)
  }

  /**
   * The service (it may be this one) that already has the name, or a part of the URI space that contains it. A trusted
   * service takes a name from one that is not: else whoever comes first could keep a built-in worker from its tools.
   */
  #holderOf(kind: DefinitionKind, key: string, entry: ServiceEntry): string | undefined {
    for (;;) {
      const held = this.#conflictOf(kind, key, entry.service)
      if (held === undefined) return undefined
      const holder = this.#services.get(held.service)
      if (holder === undefined || holder === entry || holder.stored.trusted || !entry.stored.trusted)
        return held.service
      this.#drop(held)
      holder.definitions = holder.definitions.filter((definition) => definition !== held)
      holder.stored = { ...holder.stored, definitions: acceptedOnly(holder.definitions, holder.stored.definitions) }
      this.#noteChanges([held], [])
    }
  }

  #conflictOf(kind: DefinitionKind, key: string, service: string): Definition | undefined {
    const same = this.#byKey[kind].get(key)
    if (same !== undefined) return same
    if (kind !== 'resourceTemplate' && kind !== 'resource') return undefined
    const claim = kind === 'resource' ? key : literalPrefix(key)
    for (const other of this.#byKey.resourceTemplate.values()) {
      if (other.service === service) continue
      const prefix = literalPrefix(other.key)
      if (claim.startsWith(prefix) || (kind === 'resourceTemplate' && prefix.startsWith(claim))) return other
    }
    return undefined
  }

  #noteChanges(before: readonly Definition[], after: readonly Definition[]): void {
    const hashes = new Set(before.map(({ hash }) => hash))
    const kept = new Set(after.map(({ hash }) => hash))
    const changed = [...before.filter(({ hash }) => !kept.has(hash)), ...after.filter(({ hash }) => !hashes.has(hash))]
    this.#changes.forAll(changed)
    this.#lists.clear()
  }

  #noteViews(changes: readonly ViewChange[]): void {
    for (const { scope, id, service, names } of changes) {
      const definitions = this.#services.get(service)?.definitions ?? []
      this.#changes.forOne(
        scope,
        id,
        definitions.filter(({ viewName }) => names.has(viewName)),
      )
    }
  }

  #forgetAbsent(now: number): void {
    let count = 0
    let characters = 0
    // The one seen last is kept first.
    const absent = [...this.#services.values()].filter(({ offers }) => offers.size === 0)
    for (const entry of absent.sort((one, other) => other.stored.lastSeenAt - one.stored.lastSeenAt)) {
      const { trusted, lastSeenAt } = entry.stored
      if (!trusted) {
        count++
        characters += entry.definitions.reduce((sum, definition) => sum + definition.characters, 0)
      }
      const isCrowded = !trusted && (count > absentServicesMax || characters > absentCharactersMax)
      if (!isCrowded && now - lastSeenAt <= forgetServiceMs) continue
      this.#list(entry, {})
      this.#services.delete(entry.service)
    }
  }
}

/** By code unit: the same on every machine, whatever its locale. */
const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
