import { lstatSync } from 'node:fs'
import { readersOfSecret } from '../approvals/advisory.js'
import { askSocial } from '../approvals/ask-social.js'
import type { OutboxRow } from '../approvals/items.js'
import type { Environment } from '../environment.js'
import { type Finding, note, ok, problem } from './finding.js'

/** The social worker's section, and whether approvals are more than advice. `configFile`: where the section lies. */
export async function checkSocialConfig(
  environment: Environment,
  section: unknown,
  configFile: string,
): Promise<Finding[]> {
  return [
    await checkApprovals(environment),
    ...(await checkSection(section, environment.dataDirectory)),
    ...checkSecretsInFile(section, configFile),
  ]
}

async function checkApprovals(environment: Environment): Promise<Finding> {
  const readers = await readersOfSecret(environment)
  if (readers.length === 0) {
    return ok(
      'approvals',
      'no program that the workers run for agents can read the operator secret; a shell of your own user can',
    )
  }
  return note(
    'approvals',
    `advisory: ${readers.join(', and ')}, could read the operator secret and approve`,
    'let the kernel have its sandbox, and run the workers as another user or in containers, see docker-compose.yml',
  )
}

async function checkSection(section: unknown, dataDirectory: string): Promise<Finding[]> {
  const { parseSocialConfig, secretFileProblems } = await import('@callboard/social/config')
  try {
    const config = parseSocialConfig(section)
    const problems = await secretFileProblems(config, dataDirectory)
    const names = config.networks.join(', ')
    return [
      ...problems.map((each) => problem('social secrets', each, 'correct it: the worker does not start like this')),
      config.isDefaultProfile
        ? note(
            'social profile',
            `nobody's: posts speak of Callboard, on the network ${names}`,
            'say who posts, and about what, in the section "social.business" of the config file',
          )
        : ok('social profile', `${config.business.product_name}, on ${names}`),
      ...(config.mode === 'autopilot' && !config.approval_mode ? [unattended] : []),
    ]
  } catch {
    // What is wrong with the section is said elsewhere.
    return []
  }
}

const unattended = note(
  'social approval',
  'off: in mode autopilot posts go out although nobody has seen them',
  'set "social.approval_mode" to true, unless that is meant',
)

/** A secret in a file that others can read is none. */
function checkSecretsInFile(section: unknown, configFile: string): Finding[] {
  if (!hasSecret(section)) return []
  const status = lstatSync(configFile, { throwIfNoEntry: false })
  if (status === undefined || (status.mode & 0o077) === 0) return []
  return [
    problem('social secrets', `${configFile} holds some, and is open to other users`, `run chmod 600 ${configFile}`),
  ]
}

const hasSecret = (section: unknown): boolean =>
  typeof section === 'object' &&
  section !== null &&
  Object.values(section).some(
    (own) =>
      typeof own === 'object' &&
      own !== null &&
      Object.keys(own).some((key) => /(^|_)(key|password|token|secret)$/.test(key)),
  )

interface Health {
  readonly llm?: Answer
  readonly networks?: { readonly [name: string]: Answer }
}

interface Answer {
  readonly status?: unknown
  readonly message?: unknown
}

/** What the worker that runs says of its networks, and of posts that wait for somebody. */
export async function checkSocialWorker(environment: Environment): Promise<Finding[]> {
  try {
    const { data: health } = await askSocial<Health>(environment, 'health_check', {})
    const [unknown, failed] = await Promise.all([outboxOf(environment, 'unknown'), outboxOf(environment, 'failed')])
    return [
      ...modelFindings(health),
      ...networkFindings(health),
      ...unknownFindings(unknown),
      ...failedFindings(failed),
    ]
  } catch (error) {
    return [note('social worker', `not asked: ${(error as Error).message}`)]
  }
}

async function outboxOf(environment: Environment, status: string): Promise<readonly OutboxRow[]> {
  return (await askSocial<readonly OutboxRow[]>(environment, 'list_outbox', { status })).data
}

function modelFindings({ llm }: Health): Finding[] {
  if (llm === undefined) return []
  const message = String(llm.message)
  if (llm.status === 'ok') return [ok('social model', message)]
  if (llm.status === 'error') {
    return [problem('social model', message, 'correct "social.llm" in the config, or see whether it can be reached')]
  }
  return [note('social model', message, 'name a provider and a model in "social.llm" of the config')]
}

function networkFindings({ networks = {} }: Health): Finding[] {
  return Object.entries(networks).map(([name, { status, message }]) =>
    status === 'ok'
      ? ok(`network ${name}`, String(message))
      : problem(
          `network ${name}`,
          `${status}: ${message}`,
          'correct the section "social" of the config, or see whether the network can be reached from here',
        ),
  )
}

function unknownFindings(rows: readonly OutboxRow[]): Finding[] {
  return rows.map(({ item_id, network }) =>
    problem(
      'outbox',
      `item ${item_id} was sent to ${network}, and no answer came`,
      `look whether it is there, then run "callboard approvals resolve ${item_id}" with --posted or --failed`,
    ),
  )
}

/** In one line: it stays until its retention is over. */
function failedFindings(rows: readonly OutboxRow[]): Finding[] {
  if (rows.length === 0) return [ok('outbox', 'nothing failed')]
  const items = rows.map(({ item_id }) => item_id).join(', ')
  return [
    note(
      'outbox',
      `${rows.length === 1 ? 'item' : 'items'} ${items} failed`,
      'see why with "callboard approvals outbox --status failed"; "callboard approvals retry" sends one again',
    ),
  ]
}
