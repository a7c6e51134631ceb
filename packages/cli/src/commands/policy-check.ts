import {
  type Explanation,
  explainCall,
  localOperator,
  type Policy,
  PolicyFileError,
  policyFileOf,
  readPolicy,
} from '@callboard/hub'
import { didYouMean } from '@callboard/protocol/nearest-name'
import { parseArguments } from '../call/tool-arguments.js'
import { readEnvironment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { type HubStatus, readHubStatus } from '../hub-link/hub-status.js'
import { requireOwnDirectory, runtimeFiles } from '../hub-link/runtime-files.js'
import { loadConfig } from '../load-config.js'
import { print, printJson } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface PolicyCheckOptions {
  readonly as?: string
  readonly role?: 'agent' | 'operator'
  readonly through?: string
  readonly file?: string
  readonly json?: boolean
}

type Rule = Policy['content']['rules'][number]

/** Whether the policy file is good; with a tool, what becomes of a call of it, and by which rule. */
export async function runPolicyCheck(
  tool: string | undefined,
  words: readonly string[],
  options: PolicyCheckOptions,
): Promise<void> {
  const environment = readEnvironment()
  const config = await loadConfig(environment)
  requireOwnDirectory(environment.runtimeDirectory)
  const status = await readHubStatus(runtimeFiles(environment.runtimeDirectory).mcpSocket)
  const inForce = fileInForce(status)
  const file = options.file ?? inForce ?? policyFileOf(config).file
  const policy = await read(file, file === inForce)
  if (tool === undefined) return sayValid(file, policy, options.json)
  const agents: Agents = status?.hub.agents ?? config.agents
  const caller = callerOf(options, agents)
  requirePrincipal(caller.principal, policy)
  const found = subjectOf(tool, status)
  const given = words.length === 0 ? undefined : parseArguments({ name: tool, inputSchema: {} }, words)
  const explanation = explainCall(policy, caller, found.subject, given)
  const said = describe({ file, tool, caller, found, explanation, given })
  if (options.json) return printJson(said.json)
  for (const line of said.lines) print(escapeControls(line))
}

function fileInForce(status: HubStatus | undefined): string | undefined {
  const file = status?.hub.settings?.policy
  return file === 'off' ? undefined : file
}

/** @throws UsageError with every problem. */
async function read(file: string, isInForce: boolean): Promise<Policy> {
  try {
    const policy = await readPolicy(file)
    if (policy !== undefined) return policy
  } catch (error) {
    if (error instanceof PolicyFileError) throw new UsageError(error.message)
    throw error
  }
  throw new UsageError(
    isInForce
      ? `${file} is gone, and the running hub goes on with the policy that it had: put it back; to have no rules, write {"rules": []}.`
      : `There is no policy file ${file}, and without one all may use what they see: make it, or say --file.`,
  )
}

function sayValid(file: string, { content }: Policy, json = false): void {
  const { rules, roles, defaultEffect } = content
  if (json) {
    return printJson({ file, valid: true, rules: rules.length, roles: Object.keys(roles), default: defaultEffect })
  }
  print(`${file} is valid: ${count(rules.length, 'rule')}, ${count(Object.keys(roles).length, 'role')}.`)
  print(`What no rule is about is ${defaultEffect === 'call' ? 'callable' : 'hidden'}.`)
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`

interface Caller {
  readonly principal: string
  readonly roles: readonly string[]
  readonly worker?: string
}

const rolesOf = { agent: ['agent'], operator: ['agent', 'operator'] } as const

type Agents = Readonly<Record<string, { readonly roles: readonly string[] }>>

function callerOf({ as = 'agent:main', role, through }: PolicyCheckOptions, agents: Agents): Caller {
  const principal = as === 'operator' ? localOperator : as.includes(':') ? as : `agent:${as}`
  const name = principal.startsWith('agent:') ? principal.slice('agent:'.length) : ''
  const known = Object.hasOwn(agents, name) ? agents[name]?.roles : undefined
  const own = principal === localOperator ? rolesOf.operator : (known ?? rolesOf.agent)
  // What workers do for somebody they do without the role operator.
  const roles = through === undefined ? (role === undefined ? own : rolesOf[role]) : rolesOf.agent
  return { principal, roles, ...(through !== undefined && { worker: `worker:${through.replace(/^worker:/, '')}` }) }
}

/** What is none would be hidden, or not, for a reason that helps nobody. */
function requirePrincipal(principal: string, { content }: Policy): void {
  const name = principal.replace(/^agent:/, '')
  if (Object.hasOwn(content.roles, name) && principal !== name) {
    throw new UsageError(`${name} is a role of the policy: name one of whom it is for with --as.`)
  }
  if (/^[A-Za-z0-9:._-]+$/.test(principal)) return
  throw new UsageError(
    `${JSON.stringify(name)} is no principal: --as takes one, like agent:ada or operator, and no pattern.`,
  )
}

interface Found {
  readonly subject: {
    readonly kind: 'tool'
    readonly service: string
    readonly key: string
    readonly workerKey: string
  }
  /** What nobody has told us. */
  readonly assumed: string | undefined
}

/** `SERVICE:TOOL` says itself of which service it is. */
function subjectOf(tool: string, status: HubStatus | undefined): Found {
  const colon = tool.indexOf(':')
  const [named, key] = colon === -1 ? [undefined, tool] : [tool.slice(0, colon), tool.slice(colon + 1)]
  const services = status?.snapshot.services ?? []
  const owner = services.find((each) => {
    const isNamed = named === undefined || each.service === named
    return isNamed && (each.tools.includes(key) || Object.hasOwn(each.ownTools, key))
  })
  const workerKey = owner !== undefined && Object.hasOwn(owner.renamed, key) ? owner.renamed[key]! : key
  const service = owner?.service ?? named ?? ''
  return {
    subject: { kind: 'tool', service, key, workerKey },
    assumed: assumed(owner !== undefined, named, key, status),
  }
}

function assumed(isKnown: boolean, named: string | undefined, key: string, status: HubStatus | undefined) {
  if (isKnown) return undefined
  const why =
    status === undefined ? 'no hub is running' : `the running hub has no tool ${key}${didYouMean(key, toolsOf(status))}`
  return named === undefined
    ? `${why}: no rule about a service was taken to be about ${key}; say SERVICE:${key} for one`
    : `${why}: ${key} was taken to be a tool of ${named}`
}

const toolsOf = ({ snapshot }: HubStatus): string[] => snapshot.services.flatMap(({ tools }) => tools)

interface Asked {
  readonly file: string
  readonly tool: string
  readonly caller: Caller
  readonly found: Found
  readonly explanation: Explanation
  readonly given: object | undefined
}

function describe({ file, caller, found, explanation, given }: Asked): { lines: string[]; json: object } {
  const { decision, passedOver, problem } = explanation
  const { rule, rate, when, audit } = decision
  const { outcome, text } = outcomeOf(explanation, given)
  const { key, service } = found.subject
  const who = `${caller.principal}${caller.worker === undefined ? '' : ` through ${caller.worker}`}`
  const skipped = passedOver.map(({ rule: each, why }) => ({ ...named(each), why: whyNot(each, why) }))
  const lines = [
    `${who} (${caller.roles.join(', ')}) and ${key}${service === '' ? '' : ` of ${service}`}: ${text}`,
    ...(rule === undefined ? [noRule(caller)] : [`By rule ${nameOf(rule)} of ${file}.`]),
    ...(rate === undefined
      ? []
      : [
          `At most ${rate.calls} calls in ${rate.perMs / 1_000} s, ${rate.burst} at once, counted ${countedFor[rate.each]}.`,
        ]),
    ...(outcome === 'hidden' || audit === undefined
      ? []
      : [`Where calls are recorded, the arguments are: ${auditText[audit.kind]}.`]),
    ...(found.assumed === undefined ? [] : [`Assumed: ${found.assumed}.`]),
    ...(skipped.length === 0 ? [] : ['Rules before it:']),
    ...passedOver.map(({ rule: each, why }) => `  ${nameOf(each)}: ${whyNot(each, why)}`),
  ]
  const json = {
    file,
    principal: caller.principal,
    roles: caller.roles,
    ...(caller.worker !== undefined && { worker: caller.worker }),
    tool: key,
    service: service === '' ? null : service,
    outcome,
    ...(problem !== undefined && { problem }),
    rule: rule === undefined ? null : named(rule),
    rate: rate === undefined ? null : { calls: rate.calls, perMs: rate.perMs, burst: rate.burst, each: rate.each },
    hasWhen: when !== undefined,
    audit,
    passedOver: skipped,
    ...(found.assumed !== undefined && { assumed: found.assumed }),
  }
  return { lines, json }
}

function outcomeOf({ decision, problem }: Explanation, given: object | undefined): { outcome: string; text: string } {
  if (decision.effect === 'hide')
    return { outcome: 'hidden', text: 'hidden. A call is answered as one of a tool that never was.' }
  if (decision.effect === 'show') return { outcome: 'shown', text: 'listed; a call is refused (forbidden).' }
  if (problem !== undefined)
    return { outcome: 'refused', text: `listed; this call is refused (forbidden): ${problem}.` }
  if (decision.when !== undefined && given === undefined) {
    return { outcome: 'conditional', text: 'listed; called where the arguments fit "when". Add arguments to see.' }
  }
  return { outcome: 'called', text: 'listed and called.' }
}

const countedFor = { principal: 'for each principal', session: 'for each session', all: 'for all together' } as const

const auditText = {
  none: 'left out',
  hash: 'as their hash',
  full: 'whole',
  redacted: 'whole but for what the rule redacts',
} as const

function noRule({ principal }: Caller): string {
  return principal === localOperator
    ? `No rule names ${localOperator}, so nothing is kept from it.`
    : 'No rule is about it, so the default decides.'
}

const nameOf = ({ number, id }: Rule): string => (id === undefined ? `${number}` : `${number} "${id}"`)

const named = ({ number, id }: Rule): object => ({ number, ...(id !== undefined && { id }) })

function whyNot(rule: Rule, why: 'who' | 'what'): string {
  if (why === 'who') return `is for ${rule.who.join(', ')}`
  const { services, tools, prompts, resources } = rule
  const about = Object.entries({ services, tools, prompts, resources }).flatMap(([kind, patterns]) =>
    patterns === undefined ? [] : [`${kind} ${patterns.join(', ')}`],
  )
  return `is about ${about.join('; ')}`
}
