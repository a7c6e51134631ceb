import { existsSync } from 'node:fs'
import {
  type AllowListLine,
  type AuthorizedWorker,
  changeAllowList,
  formatWorker,
  hubKeyFileIn,
  isKey,
  readPublicKey,
  readResourcePatterns,
  readServices,
  readTime,
  readToolPatterns,
  rightsProblem,
  workerKeyFileIn,
  workersOf,
} from '@callboard/hub'
import { readEnvironment } from '../environment.js'
import { allowListFile, explaining } from '../keys/allow-list-place.js'
import { describeRights } from '../keys/describe-rights.js'
import { lifetimeMs, lifetimeRule } from '../lifetime.js'
import { complain, print, printJson } from '../output.js'
import { UsageError } from '../usage-error.js'
import { requireWorkerName } from './keys-new.js'

export interface KeysAuthorizeOptions {
  readonly file?: string
  readonly services?: string
  readonly tools?: string
  readonly resources?: string
  readonly expires?: string
  readonly trusted?: boolean
  readonly json?: boolean
}

/** What the command line says of it; the rest stays as it is, or is the default. */
type Said = Partial<Omit<AuthorizedWorker, 'name' | 'key'>>

export async function runKeysAuthorize(
  name: string,
  given: string | undefined,
  options: KeysAuthorizeOptions,
): Promise<void> {
  requireWorkerName(name)
  const environment = readEnvironment()
  const said = readRights(options, Date.now())
  const key = await explaining(keyOf(name, given?.trim(), options.file, environment.dataDirectory))
  await requireNotOwn(key, environment.dataDirectory)
  const results: { readonly worker: AuthorizedWorker; readonly like: AuthorizedWorker | undefined }[] = []
  await explaining(
    changeAllowList(allowListFile(environment), (lines) => {
      const result = authorized(name, key, said, lines)
      results.push(result)
      return withWorker(result.worker, lines)
    }),
  )
  const { worker, like } = results[0]!
  if (options.json) return printJson(worker)
  print(`Authorized ${describeRights(worker)}.`)
  if (like !== undefined && like.key !== key) complain(besideAnother(like))
}

/** @throws UsageError, KeyFileError */
async function keyOf(
  name: string,
  given: string | undefined,
  file: string | undefined,
  dataDirectory: string,
): Promise<string> {
  if (given !== undefined && file !== undefined) throw new UsageError('Give either a key or --file, not both.')
  if (file !== undefined) return readPublicKey(file)
  if (given !== undefined) {
    if (isKey(given)) return given
    throw new UsageError(
      `${JSON.stringify(given)} is no key, which has 40 characters: put what "callboard keys new" printed into single quotes, or name its file with --file.`,
    )
  }
  const own = workerKeyFileIn(dataDirectory, name)
  if (existsSync(own)) return readPublicKey(own)
  throw new UsageError(
    `Which key? Run "callboard keys new ${name}" where the worker runs, then "callboard keys authorize ${name} 'KEY'" here with what it printed.`,
  )
}

/** Both keys go from one machine to the other, and look alike. */
async function requireNotOwn(key: string, dataDirectory: string): Promise<void> {
  const own = await readPublicKey(hubKeyFileIn(dataDirectory)).catch(() => undefined)
  if (key !== own) return
  throw new UsageError(
    'This is the key of the hub itself, which workers get as CALLBOARD_HUB_KEY: a worker\'s own is what "callboard keys new" printed.',
  )
}

/** @throws UsageError that names every problem. */
function readRights({ services, tools, resources, expires, trusted }: KeysAuthorizeOptions, now: number): Said {
  const problems: string[] = []
  const fail = (problem: string) => problems.push(problem)
  const said: Said = {
    ...(services !== undefined && { services: readServices(services, fail) }),
    ...(tools !== undefined && { tools: readToolPatterns(tools, fail) }),
    ...(resources !== undefined && { resources: readResourcePatterns(resources, fail) }),
    ...(expires !== undefined && { expiresAt: readExpiry(expires, now, fail) }),
    ...(trusted === true && { trusted }),
  }
  if (problems.length > 0) throw new UsageError(`${problems.join('; ')}.`)
  return said
}

function readExpiry(text: string, now: number, fail: (problem: string) => void): number {
  const lifetime = lifetimeMs(text)
  if (lifetime !== undefined) return now + lifetime
  if (!/^\d{4}-/.test(text)) {
    fail(`--expires must be ${lifetimeRule}, or the end itself, like 2027-01-31`)
    return 0
  }
  const problems: string[] = []
  const time = readTime(text, (problem) => problems.push(problem))
  if (problems[0] !== undefined) fail(problems[0])
  else if (time <= now) fail(`--expires: ${text} is over: name a time to come`)
  return time
}

/** `like`: whose rights it has as far as nothing else is said. A second key of a name has not more than the first by mistake. */
function authorized(name: string, key: string, said: Said, lines: readonly AllowListLine[]) {
  const workers = workersOf({ lines, problems: [] })
  const same = workers.find((worker) => worker.key === key)
  if (same !== undefined && same.name !== name) {
    throw new UsageError(
      `This key is authorized as ${same.name}: run "callboard keys revoke ${same.name}" first, or make another with "callboard keys new ${name}".`,
    )
  }
  const like = same ?? workers.findLast((worker) => worker.name === name)
  const { services = [name], tools = ['*'], resources = ['*'], trusted = false } = like ?? {}
  const end = same?.expiresAt === undefined ? {} : { expiresAt: same.expiresAt }
  const worker: AuthorizedWorker = { name, key, services, tools, resources, trusted, ...end, ...said }
  const problem = rightsProblem(worker)
  if (problem !== undefined)
    throw new UsageError(`S${problem.slice(1).replace('add the word trusted', 'add --trusted')}.`)
  return { worker, like }
}

/** In its own line when it has one, else in a last one. */
function withWorker(worker: AuthorizedWorker, lines: readonly AllowListLine[]): readonly AllowListLine[] {
  const line = { text: formatWorker(worker), worker }
  const index = lines.findIndex((each) => each.worker?.key === worker.key)
  return index === -1 ? [...lines, line] : lines.with(index, line)
}

const besideAnother = ({ name, key }: AuthorizedWorker): string =>
  `${name} has another key beside it: restart its worker with the new one, then run callboard keys revoke '${key}'`
