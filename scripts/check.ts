import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/**
 * Keeps what a machine can keep of how this code should read. Run by `npm run check`, after types, lint and format.
 * Each rule returns sentences; one sentence is one failure.
 */
const rules: readonly ((files: readonly SourceFile[]) => string[])[] = [
  socketsOnlyInShells,
  protocolSdkOnlyInFrontEnds,
  pureCoresTouchNoWorld,
  timeFromOneClock,
  dependenciesRunDownwards,
  environmentReadInOneFile,
  filesNamedAndSized,
  clausesAreTested,
  citedClausesExist,
  dependenciesHaveReasons,
  lockFilesHaveNoAddresses,
]

interface SourceFile {
  readonly path: string
  readonly text: string
}

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '')
const files = tracked.filter((path) => /\.tsx?$/.test(path)).map(readSource)
const failures = rules.flatMap((rule) => rule(files))
for (const failure of failures) process.stdout.write(`${failure}\n`)
process.stdout.write(`tidy: ${rules.length} rules over ${files.length} files, ${failures.length} failures\n`)
process.exitCode = failures.length > 0 ? 1 : 0

function readSource(path: string): SourceFile {
  return { path, text: readFileSync(path, 'utf8') }
}

function sourcesOf(all: readonly SourceFile[]): SourceFile[] {
  return all.filter(({ path }) => /^(protocol|packages\/[a-z]+)\/src\//.test(path))
}

function importsOf({ text }: SourceFile): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map((match) => match[1]!)
}

/** One owner per socket: ZeroMQ has one sender, and the broker must be testable without one. */
function socketsOnlyInShells(all: readonly SourceFile[]): string[] {
  const shells = new Set([
    'packages/hub/src/router.ts',
    'packages/hub/src/keys/handshake-events.ts',
    'packages/hub/src/keys/worker-sockets.ts',
    'packages/hub/src/keys/zap-handler.ts',
    'packages/worker/src/dealer.ts',
    'packages/kernel/src/runtime/jupyter/connection.ts',
  ])
  return sourcesOf(all)
    .filter((file) => !shells.has(file.path) && !file.path.startsWith('packages/testkit/'))
    .filter((file) => importsOf(file).includes('zeromq') && !file.path.includes('/commands/doctor'))
    .map(({ path }) => `${path}: imports zeromq, which only ${[...shells].join(' and ')} may`)
}

function protocolSdkOnlyInFrontEnds(all: readonly SourceFile[]): string[] {
  const allowed = /^packages\/hub\/src\/(mcp|http)\/|^packages\/hub\/src\/definition-check\.ts$|^packages\/cli\/src\//
  return sourcesOf(all)
    .filter((file) => !allowed.test(file.path))
    .filter((file) => importsOf(file).some((name) => name.startsWith('@modelcontextprotocol/')))
    .map(({ path }) => `${path}: imports the MCP SDK, which only the hub's mcp and http folders may`)
}

/** A state machine that reads a clock can't be replayed. */
function pureCoresTouchNoWorld(all: readonly SourceFile[]): string[] {
  const cores = [
    /^protocol\/src\//,
    /^packages\/hub\/src\/broker\//,
    /^packages\/worker\/src\/(session|session-messages|session-state|handshake|sign-in|heartbeats|liveness|hub-clock|hub-search)\.ts$/,
    /^packages\/worker\/src\/(held-calls|served-calls|open-calls|made-calls|audience|announcements|drain|departure)\.ts$/,
    /^packages\/kernel\/src\/session\/(clock|playhead|targets|trigger|action|rule|rule-track|rule-engine|turns|flights)\.ts$/,
    /^packages\/kernel\/src\/session\/(engine-messages|firing-rate|beat-waits|events|rule-texts|module-params)\.ts$/,
    /^packages\/scheduler\/src\/schedule\//,
    /^packages\/scheduler\/src\/engine\/retry-policy\.ts$/,
    /^packages\/scheduler\/src\/runners\/(prompt-header|extraction|json-output|head-and-tail|usage|redaction|tool-answer)\.ts$/,
    /^packages\/scheduler\/src\/runners\/(chat-answer|command-line|child-environment)\.ts$/,
    /^packages\/scheduler\/src\/mail\/(judge-mail|authentication-results|message-id|mail-settings|imap-server)\.ts$/,
    /^packages\/scheduler\/src\/mail\/(retry-schedule|reply-text|verdict-words|imap-error|smtp-error)\.ts$/,
    /^packages\/scheduler\/src\/messages\/(digest-text|internal-text|local-time|message-mail)\.ts$/,
    /^packages\/scheduler\/src\/triggers\/(trigger-token|trigger-body|trigger-mail)\.ts$/,
    /^packages\/scheduler\/src\/groups\/(group-entry|runner-problems)\.ts$/,
    /^packages\/scheduler\/src\/social\/social-post\.ts$/,
    /^packages\/social\/src\/(text|scoring|envelope)\//,
    /^packages\/social\/src\/approval\/(content-hash|transitions|standing)\.ts$/,
  ]
  const world =
    /\b(Date\.now|new Date\(\)|Math\.random|performance\.|setTimeout|setInterval|setImmediate|process\.[a-z])|from 'node:(net|http|fs|timers|child_process|os|dgram|tls)/
  return sourcesOf(all).flatMap(({ path, text }) => {
    if (!cores.some((core) => core.test(path))) return []
    const match = world.exec(text)
    return match === null ? [] : [`${path}: a pure core must not use ${match[0]}`]
  })
}

/** Schedules, leases and limits are tested over years and in seconds: only with one clock, the SDK's, which a test can turn. */
function timeFromOneClock(all: readonly SourceFile[]): string[] {
  const time = /\b(Date\.now|new Date\(\)|Math\.random|performance\.now|setTimeout|setInterval)|from 'node:timers'/
  return sourcesOf(all)
    .filter(({ path }) => /^packages\/(scheduler|social|forum|qda)\/src\//.test(path))
    .flatMap(({ path, text }) => {
      const match = time.exec(text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, ''))
      return match === null
        ? []
        : [`${path}: uses ${match[0]}; time comes from @callboard/worker/clock, chance from arguments`]
    })
}

/** protocol ← hub, worker; worker, store ← the workers; cli on top. */
function dependenciesRunDownwards(all: readonly SourceFile[]): string[] {
  const workers = ['kernel', 'scheduler', 'forum', 'social', 'qda']
  const allowed: Record<string, readonly string[]> = {
    protocol: [],
    hub: ['protocol'],
    worker: ['protocol'],
    store: [],
    ...Object.fromEntries(workers.map((worker) => [worker, ['worker', 'store']])),
    cli: ['protocol', 'hub', 'worker', 'store', ...workers],
    testkit: ['protocol', 'hub', 'worker'],
  }
  return sourcesOf(all).flatMap((file) => {
    const owner = file.path.startsWith('protocol/') ? 'protocol' : file.path.split('/')[1]!
    return importsOf(file)
      .map((name) => /^@callboard\/([a-z]+)/.exec(name)?.[1])
      .filter((name) => name !== undefined && name !== owner && !allowed[owner]?.includes(name))
      .map((name) => `${file.path}: ${owner} must not import @callboard/${name}`)
  })
}

function environmentReadInOneFile(all: readonly SourceFile[]): string[] {
  const readers = new Map<string, string[]>()
  for (const { path, text } of sourcesOf(all)) {
    if (!/process\.env\b/.test(text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, ''))) continue
    const owner = path.split('/src/')[0]!
    readers.set(owner, [...(readers.get(owner) ?? []), path])
  }
  return [...readers]
    .filter(([, paths]) => paths.length > 1)
    .map(([owner, paths]) => `${owner}: process.env is read in ${paths.join(', ')}; one file per program may`)
}

function filesNamedAndSized(all: readonly SourceFile[]): string[] {
  const linesMax = 450
  return sourcesOf(all).flatMap(({ path, text }) => {
    const name = basename(path)
    const problems: string[] = []
    if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/.test(name)) problems.push(`${path}: file names are kebab-case`)
    if (/^(utils?|helpers?|misc|common)\.ts$/.test(name)) problems.push(`${path}: name the file after what it is`)
    const lines = text.split('\n').length
    if (lines > linesMax) problems.push(`${path}: ${lines} lines are more than one concept (at most ${linesMax})`)
    return problems
  })
}

/** Every MUST of the specification has a test that cites its clause. */
function clausesAreTested(all: readonly SourceFile[]): string[] {
  const cited = new Set<string>()
  for (const { path, text } of all) {
    if (/\/test\//.test(path)) for (const match of text.matchAll(/\bCB-(\d+)\b/g)) cited.add(match[1]!)
  }
  return [...clauses()]
    .filter(([number, text]) => /\bMUST\b/.test(text) && !cited.has(number))
    .map(([number]) => `protocol/SPEC.md: no test cites [CB-${number}], which says MUST`)
}

function citedClausesExist(all: readonly SourceFile[]): string[] {
  const known = clauses()
  return all.flatMap(({ path, text }) =>
    [...new Set([...text.matchAll(/\[CB-(\d+)\]/g)].map((match) => match[1]!))]
      .filter((number) => !known.has(number))
      .map((number) => `${path}: cites [CB-${number}], which protocol/SPEC.md does not have`),
  )
}

/** Number → text of each clause. */
function clauses(): Map<string, string> {
  const text = tracked.includes('protocol/SPEC.md') ? readFileSync('protocol/SPEC.md', 'utf8') : ''
  const parts = text.split(/^\*\*CB-(\d+)\*\*/m)
  const found = new Map<string, string>()
  for (let index = 1; index < parts.length; index += 2) found.set(parts[index]!, parts[index + 1]!.split(/^#/m)[0]!)
  return found
}

function dependenciesHaveReasons(): string[] {
  const record = 'docs/decisions/0001-dependencies.md'
  const reasons = readFileSync(record, 'utf8')
  const manifests = tracked.filter((path) => basename(path) === 'package.json')
  return manifests.flatMap((path) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(path, 'utf8')) as Manifest
    return Object.entries({ ...dependencies, ...devDependencies }).flatMap(([name, version]) => {
      if (name.startsWith('@callboard/')) return []
      const problems = /^\d/.test(version) ? [] : [`${path}: pin ${name} to an exact version`]
      if (!reasons.includes(`\`${name}\``)) problems.push(`${record}: no line of reason for ${name} (${dirname(path)})`)
      return problems
    })
  })
}

interface Manifest {
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

function lockFilesHaveNoAddresses(): string[] {
  return tracked
    .filter((path) => basename(path) === 'package-lock.json' && /"resolved": "http/.test(readFileSync(path, 'utf8')))
    .map((path) => `${path}: records download addresses; install with omit-lockfile-registry-resolved=true`)
}
