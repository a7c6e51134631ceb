import { didYouMean } from '@callboard/protocol/nearest-name'
import { z } from 'zod'
import { isPattern, patternRule } from '../broker/tool-filter.js'
import { isObject, oneOf, type Report, readFields, shown } from '../config-fields.js'
import { type CompilePattern, compileSchema } from './argument-schema.js'
import { entriesMax, entryLengthMax, rateCallsMax, rolesMax, rulesMax } from './limits.js'
import type { PolicyContent } from './policy.js'
import { type AuditMode, effects, type RateLimit, type Rule } from './rule.js'

/** Reads a policy file's text. Every problem at once, each a sentence that names the key and what helps; with one, nothing holds. */
export function parsePolicy(
  text: string,
  compilePattern: CompilePattern,
): { readonly content: PolicyContent } | { readonly problems: readonly string[] } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problems: [`it is not JSON: ${(error as Error).message}.`] }
  }
  if (!isObject(value)) return { problems: ['it must be a JSON object, like {"rules": []}.'] }
  const problems: string[] = []
  const content = readContent(value, compilePattern, (problem) => problems.push(`${problem}.`))
  if (problems.length === 0) return { content }
  const more = problems.length - problemsMax
  return { problems: more <= 0 ? problems : [...problems.slice(0, problemsMax), `and ${more} more problems.`] }
}

/** Nobody reads more of them, and each is a line in the log. */
const problemsMax = 100

/** Of who acts, and no names that a file may give. */
const ownRoles = ['agent', 'operator']

const texts = (example: string, problemOf: (text: string) => string | undefined = () => undefined) =>
  z
    .array(z.string().min(1).max(entryLengthMax), `must be a list of text, like ["${example}"]`)
    .min(1, 'must have an entry: without the key it is about everything, with an empty list about nothing')
    .max(entriesMax, `must have at most ${entriesMax} entries`)
    .check(({ value, issues }) => {
      for (const text of value) {
        const problem = problemOf(text)
        if (problem !== undefined) issues.push({ code: 'custom', input: text, message: `${shown(text)} ${problem}` })
      }
    })

/** A pattern that fits nothing that there can be would hide nothing from anybody, without a sound. */
const serviceProblem = (pattern: string): string | undefined =>
  /^[a-z0-9*-]+$/.test(pattern) ? undefined : 'can be no service: their names have a-z 0-9 and -'

function toolProblem(pattern: string): string | undefined {
  if (!isPattern(pattern)) return `is no pattern: ${patternRule}`
  const colon = pattern.indexOf(':')
  return colon === -1 ? undefined : serviceProblem(pattern.slice(0, colon))
}

function principalProblem(entry: string): string | undefined {
  const kind = entry.slice(0, entry.indexOf(':'))
  const isKind = ['agent', 'operator', 'worker'].includes(kind) || kind.includes('*')
  if (!isKind) return 'can be nobody: a principal begins with agent:, worker: or operator:'
  return /^[!-~]+$/.test(entry) ? undefined : 'can be nobody: names have no spaces, and no letters but those of ASCII'
}

const fileFields = {
  roles: z.record(z.string(), texts('agent:ada'), 'must be an object of lists, like {"staff": ["agent:ada"]}'),
  rules: z
    .array(z.unknown(), 'must be a list of rules, like [{"who": ["*"], "services": ["kernel"], "do": "hide"}]')
    .max(rulesMax, `must have at most ${rulesMax} rules`),
  default: z.enum(['call', 'hide'], 'must be call or hide'),
  audit: z.unknown(),
}

const ruleFields = {
  id: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'must have 1 to 64 of A-Z a-z 0-9 . _ -'),
  who: texts('agent:*'),
  services: texts('forum', serviceProblem),
  tools: texts('forum:*', toolProblem),
  prompts: texts('summary-*'),
  resources: texts('file:///data/*'),
  do: z.enum(effects, `must be ${oneOf(effects)}`),
  when: z.unknown(),
  rate: z.unknown(),
  audit: z.unknown(),
}

const rateFields = {
  calls: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(rateCallsMax, `must be at most ${rateCallsMax}`),
  per: z.string().regex(/^[1-9]\d{0,4}[smhd]$/, 'must be a time like "10s", "1m", "1h" or "1d"'),
  burst: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(rateCallsMax, `must be at most ${rateCallsMax}`),
  each: z.enum(['principal', 'session', 'all'], 'must be principal, session or all'),
}

function readContent(file: object, compilePattern: CompilePattern, report: Report): PolicyContent {
  const { roles = {}, rules = [], default: otherwise = 'call', audit } = readFields(file, fileFields, '', report)
  if (!Object.hasOwn(file, 'rules')) report('rules: is missing: a policy without rules says "rules": []')
  if (Object.keys(roles).length > rolesMax) report(`roles: must have at most ${rolesMax} names`)
  for (const [name, members] of Object.entries(roles)) checkRole(name, members, report)
  const mode = audit === undefined ? undefined : readAudit(audit, 'audit', report)
  const named = [...Object.keys(roles), ...ownRoles]
  const read = rules.map((rule, index) => readRule(rule, index + 1, { named, audit: mode, compilePattern, report }))
  for (const { id, number } of read) {
    const twin = read.find((other) => other.id === id && other.number < number)
    if (id !== undefined && twin !== undefined) report(`rules[${number - 1}].id: is that of rule ${twin.number}, too`)
  }
  return { roles, rules: read, defaultEffect: otherwise, audit: mode }
}

function checkRole(name: string, members: readonly string[], report: Report): void {
  if (ownRoles.includes(name)) report(`roles.${name}: is what the hub itself says of who acts: choose another name`)
  else if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) report(`roles: ${shown(name)} must have 1 to 64 of A-Z a-z 0-9 _ -`)
  for (const member of members) {
    if (member !== '*' && !member.includes(':')) {
      report(`roles.${name}: ${shown(member)} must be a principal or a pattern of some, like "agent:${member}"`)
    } else if (member !== '*') reportNobody(member, `roles.${name}`, report)
  }
}

interface Surroundings {
  readonly named: readonly string[]
  readonly audit: AuditMode | undefined
  readonly compilePattern: CompilePattern
  readonly report: Report
}

function readRule(value: unknown, number: number, { named, audit, compilePattern, report }: Surroundings): Rule {
  const where = `rules[${number - 1}]`
  const fields = isObject(value) ? readFields(value, ruleFields, where, report) : {}
  if (!isObject(value)) report(`${where}: must be an object, like {"who": ["*"], "tools": ["*"], "do": "call"}`)
  const { id, who = [], services, tools, prompts, resources, do: effect = 'hide' } = fields
  if (isObject(value)) {
    for (const key of ['who', 'do'] as const) if (!Object.hasOwn(value, key)) report(`${where}: ${key} is missing`)
    checkSense(fields, where, report)
  }
  for (const entry of who) {
    if (entry.includes(':')) reportNobody(entry, `${where}.who`, report)
    if (entry === '*' || entry.includes(':') || named.includes(entry)) continue
    const hint = didYouMean(entry, named) || `: name it under "roles", or say "agent:${entry}"`
    report(`${where}.who: there is no role ${entry}${hint}`)
  }
  return {
    number,
    id,
    who,
    services,
    tools,
    prompts,
    resources,
    effect,
    when: fields.when === undefined ? undefined : compileSchema(fields.when, `${where}.when`, compilePattern, report),
    rate: fields.rate === undefined ? undefined : readRate(fields.rate, where, JSON.stringify(value), report),
    audit: fields.audit === undefined ? audit : readAudit(fields.audit, `${where}.audit`, report),
  }
}

function reportNobody(entry: string, where: string, report: Report): void {
  const problem = principalProblem(entry)
  if (problem !== undefined) report(`${where}: ${shown(entry)} ${problem}`)
}

/** What is there without doing anything would be taken for something that it does. */
function checkSense(
  fields: { readonly [K in keyof typeof ruleFields]?: unknown },
  where: string,
  report: Report,
): void {
  const { do: effect, when, rate, audit, tools, prompts, resources } = fields
  const idle = Object.entries({ when, rate }).filter(([, value]) => value !== undefined && effect !== 'call')
  for (const [key] of idle) if (effect !== undefined) report(`${where}.${key}: needs "do": "call"`)
  if (audit !== undefined && effect === 'hide')
    report(`${where}.audit: of what is hidden there are no calls: remove it`)
  if (when === undefined) return
  if (tools === undefined) report(`${where}.when: is about arguments of tools: say which, or "tools": ["*"]`)
  if (prompts !== undefined || resources !== undefined) {
    report(`${where}.when: is about arguments of tools: prompts and resources need a rule of their own`)
  }
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function readRate(value: unknown, rule: string, key: string, report: Report): RateLimit {
  const where = `${rule}.rate`
  if (!isObject(value)) {
    report(`${where}: must be an object, like {"calls": 10, "per": "1m"}`)
    return { key, calls: 1, perMs: 1, burst: 1, each: 'all' }
  }
  const { calls = 1, per = '1s', burst = calls, each = 'principal' } = readFields(value, rateFields, where, report)
  for (const each of ['calls', 'per']) if (!Object.hasOwn(value, each)) report(`${where}: ${each} is missing`)
  return { key, calls, perMs: Number(per.slice(0, -1)) * unitMs[per.at(-1)!]!, burst, each }
}

const hashed: AuditMode = { kind: 'hash' }
const auditRule = 'must be "none", "hash", "full", or {"redact": ["password", "/login/token"]}'

function readAudit(value: unknown, where: string, report: Report): AuditMode {
  if (value === 'none' || value === 'hash' || value === 'full') return { kind: value }
  if (!isObject(value)) {
    report(`${where}: ${auditRule}`)
    return hashed
  }
  const { redact } = readFields(value, { redact: texts('password') }, where, report)
  if (!Object.hasOwn(value, 'redact')) report(`${where}: ${auditRule}`)
  const named = redact ?? []
  for (const each of named) {
    if (each.startsWith('/') && /~(?![01])/.test(each)) report(`${where}.redact: ${shown(each)} is no JSON pointer`)
  }
  const isPointer = (each: string) => each.startsWith('/')
  return { kind: 'redacted', keys: named.filter((each) => !isPointer(each)), pointers: named.filter(isPointer) }
}
