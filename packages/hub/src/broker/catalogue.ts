import type { Affinity, DefinitionKind, Definitions, WorkerMethod } from '@callboard/protocol'
import { heldIn } from '../pinning/held-in.js'
import { type HeldDefinition, type HeldDefinitions, nothingHeld, type Pinning } from '../pinning/pinning.js'
import { standIn } from '../pinning/stand-in.js'
import type { ListScope } from '../port.js'
import { byText } from './by-text.js'
import { type CatalogueChanges, ChangeLog } from './catalogue-changes.js'
import type { CatalogueOptions } from './catalogue-options.js'
import {
  acceptedOnly,
  type Candidate,
  candidates,
  type Definition,
  define,
  formProblem,
  hashOf,
  type Listed,
} from './definition.js'
import { chooseEdition, type KeptOffer, keepOffer, offerKey } from './editions.js'
import type { PeerId } from './events.js'
import { exposedName, safeToolName } from './exposed-name.js'
import { catalogueCharactersMax, definitionCharactersMax, definitionsPerServiceMax, forgetServiceMs } from './limits.js'
import { NamesInForce } from './names-in-force.js'
import type { Offer } from './offer.js'
import { OwnTools } from './own-tools.js'
import type { Holder, Refusal, Verdict } from './refusals.js'
import { noteServed, type ServiceEntry, type StoredService, toForget } from './service-entry.js'
import { SessionViews, type SightChange } from './session-views.js'
import { otherwiseIn, type Sight } from './sight.js'
import { asksFor, type Claim, verdictsOf } from './verdicts.js'
import { type Viewer, ViewerLists } from './viewer-lists.js'

/**
 * Who offers what. A service keeps its definitions while its workers are away; a name belongs to the service that
 * claimed it first.
 */
export class Catalogue {
  readonly #options: CatalogueOptions
  readonly #services = new Map<string, ServiceEntry>()
  readonly #inForce = new NamesInForce()
  readonly #changes = new ChangeLog()
  readonly #pinning: Pinning
  /** What exists for whom; {@link views} say whether it is in the list. */
  readonly viewers = new ViewerLists()
  /** What single sessions see other than everybody does. */
  readonly views: SessionViews
  readonly #editionChanged: (service: string, version: string, former: string) => void

  /** `editionChanged`: other definitions came into force in the place of those of a former version. */
  constructor(
    options: CatalogueOptions,
    pinning: Pinning,
    editionChanged: (service: string, version: string, former: string) => void,
  ) {
    this.#options = options
    this.#pinning = pinning
    this.#editionChanged = editionChanged
    this.views = new SessionViews(new OwnTools(options, this.#inForce, pinning), (change) => this.#noteSight(change))
  }

  restore(services: readonly StoredService[], now: number): void {
    for (const stored of services) {
      if (this.#services.has(stored.service) || now - stored.lastSeenAt > forgetServiceMs) continue
      // The clock may have been set back since.
      const lastSeenAt = Math.min(stored.lastSeenAt, now)
      this.#list(this.#createEntry({ ...stored, lastSeenAt }), stored.definitions, this.#pinning.heldOf(stored))
    }
    this.#forgetAbsent(now)
  }

  store(now: number): StoredService[] {
    return [...this.#services.values()]
      .map(({ stored, offers }) => (offers.size > 0 ? { ...stored, lastSeenAt: now } : stored))
      .sort((one, other) => byText(one.service, other.service))
  }

  /** Takes in what a worker offers, or offers now instead. */
  offer(peer: PeerId, offer: Offer, now: number): void {
    this.#forgetAbsent(now)
    const entry = this.#services.get(offer.service) ?? this.#createEntry({ ...offer, lastSeenAt: now })
    const kept = keepOffer(peer, offer, this.#options.namespace, now)
    // Who leaves does not stay for having changed something.
    kept.isLeaving = entry.offers.get(peer)?.isLeaving ?? false
    kept.held = this.#pinning.heldOf(kept)
    this.#pinning.tell(entry.service, kept.held.values(), now)
    entry.offers.set(peer, kept)
    this.#changes.isToKeep = true
    // Whoever leads the edition in force takes it along when it changes its own definitions.
    if (entry.inForce?.peer === peer) this.#putInForce(entry, kept, now)
    else this.#review(entry, now)
    noteServed(entry, kept)
  }

  /** Workers that will get nothing new: their edition is in force only as long as another one offers it. */
  leaving(service: string, peers: readonly PeerId[], now: number): void {
    const entry = this.#services.get(service)
    if (entry === undefined) return
    for (const offer of entry.offers.values()) if (peers.includes(offer.peer)) offer.isLeaving = true
    this.#review(entry, now)
  }

  /** Other definitions are accepted now, or none has to be. */
  pin(accepted: ReadonlySet<string> | undefined, now: number): void {
    this.#pinning.accept(accepted)
    for (const entry of this.#services.values()) {
      for (const offer of entry.offers.values()) offer.held = this.#pinning.heldOf(offer)
      const lead = entry.inForce && entry.offers.get(entry.inForce.peer)
      if (lead !== undefined) this.#putInForce(entry, lead, now)
      else this.#list(entry, entry.stored.definitions, this.#pinning.heldOf(entry.stored))
      for (const offer of entry.offers.values()) noteServed(entry, offer)
    }
    this.#changes.isToKeep = true
  }

  /** What of a service, or of all, no operator has accepted. */
  held(service?: string): HeldDefinition[] {
    const entries = [...this.#services.values()].filter((entry) => service === undefined || entry.service === service)
    return heldIn(entries, this.views.heldViews)
  }

  /** A worker has fallen silent, or was heard again. */
  noteSilence(peer: PeerId, service: string, isSilent: boolean, now: number): void {
    const offer = this.#services.get(service)?.offers.get(peer)
    if (offer !== undefined) Object.assign(offer, { isSilent, since: now })
  }

  /** Looks again which edition of a service is to be in force. True: it is another one now. */
  review(service: string, now: number): boolean {
    const entry = this.#services.get(service)
    return entry !== undefined && this.#review(entry, now)
  }

  /** UTC ms: when {@link review} may come to something new without anything else happening. */
  reviewAt(service: string, now: number): number | undefined {
    const entry = this.#services.get(service)
    return entry && chooseEdition(entry.offers.values(), entry.inForce, now).lookAgainAt
  }

  /** What a worker offers that is not in force, each with the reason as it is now; of many the first. */
  refusedOf(peer: PeerId, service: string): Verdict[] {
    const entry = this.#services.get(service)
    const own = entry?.offers.get(peer)
    return entry === undefined || own === undefined ? [] : verdictsOf(own, entry, (why) => this.#holder(why))
  }

  /** `isLost`: it took no leave, so that it may be back in a moment. */
  withdraw(peer: PeerId, service: string, isLost: boolean, now: number): void {
    const entry = this.#services.get(service)
    const offer = entry?.offers.get(peer)
    if (entry === undefined || offer === undefined) return
    entry.offers.delete(peer)
    entry.serves.delete(peer)
    entry.stored = { ...entry.stored, lastSeenAt: now }
    this.#changes.isToKeep = true
    if (entry.offers.size === 0) {
      entry.inForce = undefined
      entry.refused = []
      return this.#forgetAbsent(now)
    }
    const { inForce } = entry
    if (isLost && !offer.isLeaving && inForce?.digest === offer.digest) entry.inForce = { ...inForce, lostAt: now }
    this.#review(entry, now)
  }

  /**
   * Forgets a service that is away, as if a week had passed; one that is there stays. Returns the services that were
   * refused names of it and have some of them now.
   */
  forget(service: string, now: number): string[] {
    const entry = this.#services.get(service)
    if (entry === undefined || entry.offers.size > 0) return []
    return this.#forgetAll([entry], now)
  }

  closeSession(session: string, principal: string | undefined): void {
    this.#changes.forget(session)
    this.views.close(session, principal)
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
    const sight = this.views.sight(scope, viewer)
    return this.viewers.list(kind, viewer, sight.key, () => this.#inOrder(sight))
  }

  /** By service: the tools in force. */
  toolsOf(service: string): readonly Definition[] {
    return this.#services.get(service)?.definitions.filter(({ kind }) => kind === 'tool') ?? []
  }

  /** In a stable order. */
  services(viewer: Viewer): string[] {
    const isHidden = (service: string) => this.viewers.policy !== undefined && !this.shows(service, viewer)
    const known = [...this.#services.keys()].filter((service) => viewer.services?.includes(service) ?? true)
    return known.filter((service) => !isHidden(service)).sort(byText)
  }

  /** Whether anybody completes anything that this viewer sees. */
  completes(viewer: Viewer): boolean {
    const takes = ({ kind }: Definition) => kind === 'prompt' || kind === 'resourceTemplate'
    return [...this.#services.values()].some(
      ({ stored, definitions }) =>
        (stored.definitions.completions?.length ?? 0) > 0 &&
        definitions.some((each) => takes(each) && this.viewers.sees(each, viewer)),
    )
  }

  /** The definition that answers a call; undefined when there is none for this viewer. */
  resolve(method: WorkerMethod, name: string, viewer: Viewer): Definition | undefined {
    const definition = method === 'tools/call' ? this.#toolCalled(name, viewer) : this.#inForce.find(method, name)
    if (definition === undefined) return undefined
    const uri = method === 'resources/read' ? name : undefined
    return this.viewers.sees(definition, viewer, uri) ? definition : undefined
  }

  /** Whether a service exists for this viewer: it sees something of it. */
  shows(service: string, viewer: Viewer): boolean {
    const own = [...this.views.sight('session', viewer).own].filter((definition) => definition.service === service)
    const definitions = this.#services.get(service)?.definitions ?? []
    return [...own, ...definitions].some((definition) => this.viewers.sees(definition, viewer))
  }

  /**
   * Whether this very worker offers a definition just as it is in force; a replica of another edition may not. A call that
   * waited while another edition came into force means what has its name now.
   */
  offers(peer: PeerId, definition: Definition): boolean {
    const current = this.#inForce.current(definition) ?? definition
    return this.#services.get(definition.service)?.serves.get(peer)?.has(current) ?? false
  }

  /** Whether the worker has anything of that name, be it of another edition. */
  knows(peer: PeerId, { service, kind, workerKey }: Definition): boolean {
    return this.#services.get(service)?.offers.get(peer)?.hashes.has(offerKey(kind, workerKey)) ?? false
  }

  affinityOf(service: string): Affinity {
    return this.#services.get(service)?.stored.affinity ?? 'none'
  }

  describe(service: string): StoredService | undefined {
    return this.#services.get(service)?.stored
  }

  /** What the sight has; of each service its own tools in the place of those of the same name, or behind all others. */
  #inOrder(sight: Sight): Definition[] {
    const own = new Map(
      [...sight.own].flatMap(({ key }) => this.#ownTool(sight, key) ?? []).map((each) => [each.key, each]),
    )
    const definitions = [...this.#services.values()].flatMap((entry) => entry.definitions)
    const inPlace = definitions.flatMap((each) => {
      if (sight.lists(each)) return [each]
      if (each.kind !== 'tool') return []
      const stead = own.get(each.key)
      own.delete(each.key)
      return stead ?? []
    })
    return [...inPlace, ...own.values()].sort((one, other) => byText(one.service, other.service))
  }

  /** What the session has of its own hides what all have, also where this viewer may not use it. */
  #toolCalled(name: string, viewer: Viewer): Definition | undefined {
    const [session, principal] = [this.views.sight('session', viewer), this.views.sight('principal', viewer)]
    return this.#ownCalled(session, name) ?? this.#inForce.find('tools/call', name) ?? this.#ownCalled(principal, name)
  }

  #ownCalled(sight: Sight, name: string): Definition | undefined {
    return sight.hasOwn ? (this.#ownTool(sight, name) ?? this.#ownTool(sight, safeToolName(name))) : undefined
  }

  /** Not where another service has the name for everybody; of two services that give it to one session, a trusted one's. */
  #ownTool(sight: Sight, key: string): Definition | undefined {
    const found = sight.ownCalled(key)
    if (found.length === 0) return undefined
    const holder = this.#inForce.conflictOf('tool', key, '')?.service
    const free = found.filter(({ service }) => holder === undefined || holder === service)
    return free.find(({ service }) => this.#services.get(service)?.stored.trusted) ?? free[0]
  }

  #createEntry(stored: StoredService): ServiceEntry {
    const { service } = stored
    const entry: ServiceEntry = {
      service,
      stored,
      offers: new Map(),
      serves: new Map(),
      inForce: undefined,
      definitions: [],
      refused: [],
    }
    this.#services.set(service, entry)
    return entry
  }

  #review(entry: ServiceEntry, now: number): boolean {
    const { lead } = chooseEdition(entry.offers.values(), entry.inForce, now)
    if (lead === undefined) return false
    const isOther = lead.digest !== entry.inForce?.digest
    // Who came or left may have what stands in for a held definition.
    if (isOther || lead.held.size > 0) this.#putInForce(entry, lead, now)
    else if (entry.inForce !== undefined) entry.inForce = { ...entry.inForce, peer: lead.peer, lostAt: undefined }
    return isOther
  }

  #putInForce(entry: ServiceEntry, lead: KeptOffer, now: number): void {
    const { service, version, replicas, affinity, definitions, trusted, key } = lead
    const former = entry.inForce
    if (former !== undefined && former.digest !== lead.digest) this.#editionChanged(service, version, former.version)
    entry.stored = { service, version, replicas, affinity, definitions, trusted, key, lastSeenAt: now }
    entry.inForce = { digest: lead.digest, version, peer: lead.peer, lostAt: undefined }
    this.#list(entry, definitions, lead.held)
    for (const offer of entry.offers.values()) noteServed(entry, offer)
  }

  /** Takes the accepted ones into force and keeps nothing else of what was sent. */
  #list(entry: ServiceEntry, definitions: Definitions, held: HeldDefinitions): void {
    const before = entry.definitions
    const known = new Map(before.map((definition) => [definition.hash, definition]))
    for (const definition of before) this.#inForce.drop(definition)
    entry.definitions = []
    entry.refused = []
    for (const offered of candidates(definitions)) {
      const candidate = standIn(offered, held, entry, this.#options.namespace)
      if (candidate === undefined) continue
      const judged = this.#judge(entry, candidate, known)
      if ('why' in judged) {
        entry.refused.push(judged)
        continue
      }
      entry.definitions.push(judged)
      this.#inForce.add(judged)
    }
    entry.stored = { ...entry.stored, definitions: acceptedOnly(entry.definitions, definitions) }
    this.#noteChanges(before, entry.definitions)
  }

  #judge(entry: ServiceEntry, candidate: Candidate, known: ReadonlyMap<string, Definition>): Definition | Refusal {
    const { kind, key: workerKey } = candidate
    const text = JSON.stringify(candidate.value)
    const key = exposedName(kind, entry.service, workerKey, this.#options.namespace)
    const same = known.get(hashOf(text, key))
    const problem = same === undefined ? this.#problemOf(entry, candidate, text) : undefined
    if (problem !== undefined) return { kind, workerKey, why: { problem } }
    const holder = this.#holderOf(kind, key, entry)
    if (holder !== undefined) return { kind, workerKey, why: { taken: key, holder } }
    return same ?? define(candidate, entry.service, key, text)
  }

  /** Of what a service asks for. */
  #holder({ kind, key, service }: Claim): Holder | undefined {
    const holder = this.#services.get(this.#inForce.conflictOf(kind, key, service)?.service ?? '')
    return (
      holder && { service: holder.service, awaySince: holder.offers.size > 0 ? undefined : holder.stored.lastSeenAt }
    )
  }

  #problemOf(entry: ServiceEntry, candidate: Candidate, text: string): string | undefined {
    if (text.length > definitionCharactersMax) return `a definition has at most ${definitionCharactersMax} characters`
    if (entry.definitions.length >= definitionsPerServiceMax) {
      return `a service has at most ${definitionsPerServiceMax} definitions`
    }
    if (this.#inForce.characters + text.length > catalogueCharactersMax) return 'the catalogue is full'
    return formProblem(candidate) ?? this.#options.inspect(candidate.kind, candidate.value)
  }

  /**
   * The service (it may be this one) that already has the name, or a part of the URI space that contains it. A trusted
   * service takes a name from one that is not: else whoever comes first could keep a built-in worker from its tools.
   */
  #holderOf(kind: DefinitionKind, key: string, entry: ServiceEntry): string | undefined {
    for (;;) {
      const held = this.#inForce.conflictOf(kind, key, entry.service)
      if (held === undefined) return undefined
      const holder = this.#services.get(held.service)
      if (holder === undefined || holder === entry || holder.stored.trusted || !entry.stored.trusted)
        return held.service
      this.#inForce.drop(held)
      holder.refused.push({ kind, workerKey: held.workerKey, why: { taken: held.key, holder: entry.service } })
      holder.definitions = holder.definitions.filter((definition) => definition !== held)
      holder.stored = { ...holder.stored, definitions: acceptedOnly(holder.definitions, holder.stored.definitions) }
      this.#noteChanges([held], [])
    }
  }

  #noteChanges(before: readonly Definition[], after: readonly Definition[]): void {
    const hashes = new Set(before.map(({ hash }) => hash))
    const kept = new Set(after.map(({ hash }) => hash))
    const changed = [...before.filter(({ hash }) => !kept.has(hash)), ...after.filter(({ hash }) => !hashes.has(hash))]
    this.#changes.forAll(changed)
    this.viewers.clear()
  }

  #noteSight({ scope, id, before, after }: SightChange): void {
    this.#changes.forOne(
      scope,
      id,
      otherwiseIn(before, after, (service) => this.#services.get(service)?.definitions ?? []),
    )
  }

  #forgetAbsent(now: number): void {
    const absent = [...this.#services.values()].filter(({ offers }) => offers.size === 0)
    this.#forgetAll(toForget(absent, now), now)
  }

  /** Their names go to those who asked for them and were refused: they need not ask again. */
  #forgetAll(forgotten: readonly ServiceEntry[], now: number): string[] {
    if (forgotten.length === 0) return []
    for (const entry of forgotten) {
      this.#list(entry, {}, nothingHeld)
      this.views.endOf(entry.service, () => false)
      this.#services.delete(entry.service)
    }
    this.#changes.isToKeep = true
    const gone = new Set(forgotten.map(({ service }) => service))
    const heirs: string[] = []
    for (const entry of this.#services.values()) {
      const isFree = (claim: Claim) => this.#holder(claim) === undefined
      const inherits = entry.offers.size > 0 && asksFor(entry, gone, isFree)
      const lead = entry.inForce && entry.offers.get(entry.inForce.peer)
      if (!inherits || lead === undefined) continue
      this.#putInForce(entry, lead, now)
      heirs.push(entry.service)
    }
    return heirs
  }
}
