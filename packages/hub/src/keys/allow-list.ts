import { serviceNamePattern } from '@callboard/protocol'
import { nearestName } from '@callboard/protocol/nearest-name'
import { reservedServices } from '../reserved-services.js'
import * as limits from './limits.js'
import { isKey } from './public-key.js'

/** A key that may sign in, and what its worker may offer. */
export interface AuthorizedWorker {
  readonly name: string
  /** Z85, 40 characters. */
  readonly key: string
  readonly services: readonly string[]
  /** Patterns for the names of tools and prompts, as the worker has them; `*` stands for any characters. */
  readonly tools: readonly string[]
  /** Patterns for URIs and URI templates of resources. */
  readonly resources: readonly string[]
  /** UTC ms. */
  readonly expiresAt?: number
  /** As with the sign-in secret: bytes are taken as they are, and it may hold a reserved name and mint run tokens. */
  readonly trusted: boolean
}

export interface AllowListLine {
  readonly text: string
  /** Absent: a comment, an empty line, or one with a problem. */
  readonly worker?: AuthorizedWorker
}

export interface AllowList {
  readonly lines: readonly AllowListLine[]
  /** Each a sentence with the line's number and the remedy. With any of them the list admits nobody new. */
  readonly problems: readonly string[]
}

export const workerNameRule = 'a name has a-z, 0-9 and -, a letter first, 32 characters at most'
const keyRule = 'a key has 40 characters, as "callboard keys new" prints it'
const timeRule = 'write a time like 2027-01-31T12:00:00Z, or a day like 2027-01-31'

/** Why a worker's key can't have this name, as the end of a sentence; undefined when it can. */
export const workerNameProblem = (name: string): string | undefined =>
  serviceNamePattern.test(name) ? undefined : `is no name: ${workerNameRule}`

/** Total: whatever a file says comes out as lines and problems. */
export function parseAllowList(text: string): AllowList {
  const texts = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (texts.at(-1) === '') texts.pop()
  if (texts.length > limits.allowListLinesMax) {
    return { lines: [], problems: [`It has more than ${limits.allowListLinesMax} lines: remove what nobody needs.`] }
  }
  const problems: string[] = []
  const lines = texts.map((each, index) => readLine(each, (problem) => problems.push(`Line ${index + 1}: ${problem}.`)))
  return { lines, problems: [...problems, ...repeatedKeys(lines)] }
}

export const workersOf = ({ lines }: AllowList): readonly AuthorizedWorker[] =>
  lines.flatMap(({ worker }) => (worker === undefined ? [] : [worker]))

/** Every line as it was, in its order. */
export const formatAllowList = (lines: readonly AllowListLine[]): string =>
  lines.map(({ text }) => `${text}\n`).join('')

/** Without what goes without saying. */
export function formatWorker({ name, key, services, tools, resources, expiresAt, trusted }: AuthorizedWorker): string {
  const parts = [
    name,
    key,
    ...(isOnly(services, name) ? [] : [`services=${services.join(',')}`]),
    ...(isOnly(tools, '*') ? [] : [`tools=${tools.join(',')}`]),
    ...(isOnly(resources, '*') ? [] : [`resources=${resources.join(',')}`]),
    ...(expiresAt === undefined ? [] : [`expires=${new Date(expiresAt).toISOString()}`]),
    ...(trusted ? ['trusted'] : []),
  ]
  return parts.join(' ')
}

const isOnly = (values: readonly string[], value: string): boolean => values.length === 1 && values[0] === value

type Report = (problem: string) => void

interface Options {
  services?: readonly string[]
  tools?: readonly string[]
  resources?: readonly string[]
  expires?: number
  trusted?: true
}

function readLine(text: string, report: Report): AllowListLine {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.startsWith('#')) return { text }
  let hasProblem = false
  const fail: Report = (problem) => {
    hasProblem = true
    report(problem)
  }
  const worker = readWorker(trimmed, fail)
  return hasProblem || worker === undefined ? { text } : { text, worker }
}

function readWorker(line: string, fail: Report): AuthorizedWorker | undefined {
  if (line.length > limits.allowListLineLengthMax) {
    fail(`it has more than ${limits.allowListLineLengthMax} characters: shorten it`)
    return undefined
  }
  const [name = '', key = '', ...words] = line.split(/\s+/)
  const problem = workerNameProblem(name)
  if (problem !== undefined) fail(`${shown(name)} ${problem}`)
  if (!isKey(key)) fail(`${shown(key)} is no key: ${keyRule}`)
  const options = readOptions(words, fail)
  const { services = [name], tools = ['*'], resources = ['*'], expires, trusted = false } = options
  const expiresAt = expires === undefined ? {} : { expiresAt: expires }
  const worker = { name, key, services, tools, resources, ...expiresAt, trusted }
  const rights = rightsProblem(worker)
  if (rights !== undefined) fail(rights)
  return worker
}

/** What a single value can't tell; as the end of a sentence. */
export function rightsProblem({
  services,
  trusted,
}: Pick<AuthorizedWorker, 'services' | 'trusted'>): string | undefined {
  const reserved = services.find((service) => (reservedServices as readonly string[]).includes(service))
  if (reserved === undefined || trusted) return undefined
  return `service ${reserved} is a reserved one, which only a trusted worker may hold: add the word trusted, or give the worker another service`
}

const optionNames = ['services', 'tools', 'resources', 'expires', 'trusted'] as const

function readOptions(words: readonly string[], fail: Report): Options {
  const options: Options = {}
  for (const word of words) {
    const [, name = word, value] = /^([a-z]+)=(.*)$/.exec(word) ?? []
    const option = optionNames.find((each) => each === name)
    if (option === undefined) fail(`${shown(name)} is no option${hint(name)}: they are ${optionNames.join(', ')}`)
    else if (option in options) fail(`${option} is said twice: put its values into one`)
    else if ((option === 'trusted') !== (value === undefined)) {
      fail(
        option === 'trusted'
          ? 'trusted takes no value: write the word alone'
          : `${option} needs a value: write ${option}=…`,
      )
    } else setOption(options, option, value ?? '', fail)
  }
  return options
}

function hint(name: string): string {
  const near = nearestName(name, optionNames)
  return near === undefined ? '' : ` (did you mean ${near}?)`
}

function setOption(options: Options, option: (typeof optionNames)[number], value: string, fail: Report): void {
  switch (option) {
    case 'services':
      options.services = readServices(value, fail)
      return
    case 'tools':
      options.tools = readToolPatterns(value, fail)
      return
    case 'resources':
      options.resources = readResourcePatterns(value, fail)
      return
    case 'expires':
      options.expires = readTime(value, fail)
      return
    case 'trusted':
      options.trusted = true
      return
    default:
      option satisfies never
  }
}

/** Names, with commas between them. */
export function readServices(value: string, fail: Report): readonly string[] {
  const services = value.split(',')
  if (services.length > limits.keyServicesMax)
    fail(`services has more than ${limits.keyServicesMax} names: leave some out`)
  for (const service of services) {
    const problem = workerNameProblem(service)
    if (problem !== undefined) fail(`service ${shown(service)} ${problem}`)
  }
  return services
}

/** Patterns with commas between them; an empty text: no tools and prompts at all. */
export function readToolPatterns(value: string, fail: Report): readonly string[] {
  return readPatterns('tools', value, fail, (pattern) =>
    pattern.length <= limits.toolPatternLengthMax && /^[A-Za-z0-9_.*/-]+$/.test(pattern)
      ? undefined
      : `is no pattern for names: it has letters, digits, _, ., /, - and *, ${limits.toolPatternLengthMax} characters at most`,
  )
}

/** Patterns with commas between them; an empty text: no resources at all. */
export function readResourcePatterns(value: string, fail: Report): readonly string[] {
  return readPatterns('resources', value, fail, (pattern) =>
    pattern.length <= limits.resourcePatternLengthMax && /^[!-~]+$/.test(pattern)
      ? undefined
      : `is no pattern for URIs: it has no spaces, ${limits.resourcePatternLengthMax} characters at most; * stands for any characters, a comma too`,
  )
}

function readPatterns(
  option: string,
  value: string,
  fail: Report,
  problemOf: (pattern: string) => string | undefined,
): readonly string[] {
  const patterns = value === '' ? [] : value.split(',')
  if (patterns.length > limits.keyPatternsMax)
    fail(`${option} has more than ${limits.keyPatternsMax} patterns: use * in fewer`)
  for (const pattern of patterns) {
    const problem = problemOf(pattern)
    if (problem !== undefined) fail(`${option}: ${shown(pattern)} ${problem}`)
  }
  return patterns
}

const timePattern = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/

/** UTC ms. */
export function readTime(value: string, fail: Report): number {
  const day = timePattern.exec(value)?.[1]
  const time = Date.parse(value)
  // The 31st of February would be the 3rd of March.
  if (day !== undefined && !Number.isNaN(time) && new Date(Date.parse(day)).toISOString().startsWith(day)) return time
  fail(`expires: ${shown(value)} is no time: ${timeRule}`)
  return 0
}

/** Which of two lines is meant nobody can tell. */
function repeatedKeys(lines: readonly AllowListLine[]): string[] {
  const first = new Map<string, number>()
  return lines.flatMap(({ worker }, index) => {
    if (worker === undefined) return []
    const earlier = first.get(worker.key)
    if (earlier === undefined) first.set(worker.key, index)
    return earlier === undefined
      ? []
      : [`Line ${index + 1}: its key is that of line ${earlier + 1}: remove one of them.`]
  })
}

const shownLengthMax = 60

function shown(text: string): string {
  return JSON.stringify(text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text)
}
