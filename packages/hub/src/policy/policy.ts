import type { DefinitionKind } from '@callboard/protocol'
import { patternTest } from '../broker/tool-filter.js'
import { wildcard } from '../broker/wildcard.js'
import { knownCallersMax } from './limits.js'
import type { AuditMode, Decision, RateLimit, Rule } from './rule.js'

/** Whose call or list it is. */
export interface PolicyCaller {
  /** Of a worker's call the agent's that it is for. */
  readonly principal: string
  readonly roles: readonly string[]
  /** `worker:SERVICE` of the worker that calls; absent: the principal does it itself. */
  readonly worker?: string | undefined
}

/** What is listed, called, read or completed. */
export interface PolicySubject {
  readonly kind: DefinitionKind
  readonly service: string
  /** By what agents call it. */
  readonly key: string
  readonly workerKey: string
  /** A result that an instance keeps: whoever was given it may read it while anything of the service exists for it. */
  readonly keeper?: string
}

/** A policy file, read and found good. */
export interface PolicyContent {
  readonly roles: Readonly<Record<string, readonly string[]>>
  readonly rules: readonly Rule[]
  readonly defaultEffect: 'call' | 'hide'
  readonly audit: AuditMode | undefined
}

/** The operator secret's: no rule is for it but one that names it letter by letter, so that nobody locks himself out. */
export const localOperator = 'operator:local'

/** Why a rule does not decide: it is for others, or about something else. */
export type Mismatch = 'who' | 'what'

/** The rules that are for a caller. Those of callers for whom the same are for are one. */
interface Profile {
  readonly key: string
  readonly rules: readonly CompiledRule[]
  readonly otherwise: Decision
  /** Whether what a client reads by a template may be judged otherwise than the template. */
  readonly judgesUris: boolean
  /** Definitions never change, so that a call costs look-ups and no matching. */
  readonly decisions: WeakMap<PolicySubject, Decision>
}

/** Says what is hidden from whom, and how what is not may be used. It never changes: a reload makes another one. */
export class Policy {
  readonly content: PolicyContent
  readonly limits: readonly RateLimit[]
  readonly #rules: readonly CompiledRule[]
  readonly #otherwise: Decision
  readonly #free: Decision
  /** The same callers by the very object, for every call. */
  readonly #known = new WeakMap<PolicyCaller, Profile>()
  readonly #byName = new Map<string, Profile>()
  readonly #profiles = new Map<string, Profile>()

  constructor(content: PolicyContent) {
    this.content = content
    this.limits = content.rules.flatMap(({ rate }) => rate ?? [])
    this.#rules = content.rules.map((rule) => new CompiledRule(rule, content.roles))
    this.#free = { effect: 'call', rule: undefined, when: undefined, rate: undefined, audit: content.audit }
    this.#otherwise = { ...this.#free, effect: content.defaultEffect }
  }

  /** `uri`: what is read, where the subject is a resource or a template. */
  decide(caller: PolicyCaller, subject: PolicySubject, uri?: string): Decision {
    const profile = this.#profileOf(caller)
    if (subject.keeper !== undefined) return this.#free
    if (uri !== undefined && profile.judgesUris) return decisionIn(profile, subject, uri)
    const known = profile.decisions.get(subject)
    if (known !== undefined) return known
    const decision = decisionIn(profile, subject)
    profile.decisions.set(subject, decision)
    return decision
  }

  /** The same for callers for whom the same holds. */
  profileKey(caller: PolicyCaller): string {
    return this.#profileOf(caller).key
  }

  /** Of all rules before the one that decides, why they do not. */
  mismatches(caller: PolicyCaller, subject: PolicySubject): readonly { rule: Rule; why: Mismatch }[] {
    const found: { rule: Rule; why: Mismatch }[] = []
    for (const each of this.#rules) {
      const why = each.isFor(caller) ? (each.isAbout(subject) ? undefined : 'what') : 'who'
      if (why === undefined) break
      found.push({ rule: each.rule, why })
    }
    return found
  }

  #profileOf(caller: PolicyCaller): Profile {
    const known = this.#known.get(caller)
    if (known !== undefined) return known
    const name = JSON.stringify([caller.principal, caller.roles, caller.worker])
    const profile = this.#byName.get(name) ?? this.#newProfile(caller)
    if (this.#byName.size >= knownCallersMax) {
      this.#byName.clear()
      this.#profiles.clear()
    }
    this.#byName.set(name, profile)
    this.#known.set(caller, profile)
    return profile
  }

  #newProfile(caller: PolicyCaller): Profile {
    const rules = this.#rules.filter((rule) => rule.isFor(caller))
    const isFree = caller.principal === localOperator
    const key = `${rules.map(({ rule }) => rule.number).join(',')} ${isFree}`
    const profile = this.#profiles.get(key) ?? {
      key,
      rules,
      otherwise: isFree ? this.#free : this.#otherwise,
      judgesUris: rules.some(({ rule }) => rule.resources !== undefined),
      decisions: new WeakMap(),
    }
    this.#profiles.set(key, profile)
    return profile
  }
}

function decisionIn({ rules, otherwise }: Profile, subject: PolicySubject, uri?: string): Decision {
  return rules.find((rule) => rule.isAbout(subject, uri))?.decision ?? otherwise
}

type CallerTest = (caller: PolicyCaller) => boolean

class CompiledRule {
  readonly rule: Rule
  readonly decision: Decision
  readonly #who: readonly CallerTest[]
  readonly #services: readonly ((service: string) => boolean)[] | undefined
  readonly #tools: readonly ((tool: PolicySubject) => boolean)[] | undefined
  readonly #prompts: readonly ((name: string) => boolean)[] | undefined
  readonly #resources: readonly ((uri: string) => boolean)[] | undefined

  constructor(rule: Rule, roles: PolicyContent['roles']) {
    const { effect, when, rate, audit } = rule
    this.rule = rule
    this.decision = { effect, rule, when, rate, audit }
    this.#who = rule.who.flatMap((entry) => callerTests(entry, roles))
    this.#services = rule.services?.map(wildcard)
    this.#tools = rule.tools?.map(patternTest)
    this.#prompts = rule.prompts?.map(wildcard)
    this.#resources = rule.resources?.map(wildcard)
  }

  isFor(caller: PolicyCaller): boolean {
    return this.#who.some((test) => test(caller))
  }

  isAbout(subject: PolicySubject, uri?: string): boolean {
    if (this.#services?.some((test) => test(subject.service)) === false) return false
    const { kind, key, workerKey } = subject
    // A rule that names some of what there is says nothing of the other kinds.
    if ((this.#tools ?? this.#prompts ?? this.#resources) === undefined) return true
    switch (kind) {
      case 'tool':
        return this.#tools?.some((test) => test(subject)) ?? false
      case 'prompt':
        return this.#prompts?.some((test) => test(key) || test(workerKey)) ?? false
      case 'resource':
      case 'resourceTemplate':
        return this.#resources?.some((test) => test(key) || (uri !== undefined && test(uri))) ?? false
      default:
        return kind satisfies never
    }
  }
}

function callerTests(entry: string, roles: PolicyContent['roles']): readonly CallerTest[] {
  if (entry === localOperator) return [({ principal }) => principal === localOperator]
  const isJudged = ({ principal }: PolicyCaller) => principal !== localOperator
  if (entry === '*') return [isJudged]
  if (entry.startsWith('worker:')) {
    const test = wildcard(entry)
    return [({ worker }) => worker !== undefined && test(worker)]
  }
  if (entry.includes(':')) {
    const test = wildcard(entry)
    return [(caller) => isJudged(caller) && test(caller.principal)]
  }
  if (Object.hasOwn(roles, entry)) return roles[entry]!.flatMap((each) => callerTests(each, {}))
  return [(caller) => isJudged(caller) && caller.roles.includes(entry)]
}
