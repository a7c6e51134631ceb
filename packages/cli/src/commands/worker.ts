import { mkdir, readFile } from 'node:fs/promises'
import { builtInWorker } from '../built-in-workers.js'
import { type Environment, readEnvironment, secretPlaces } from '../environment.js'
import { describeFileProblem } from '../file-problem.js'
import { keepHealthFile } from '../health-file.js'
import { requireShortDirectory } from '../hub-link/runtime-files.js'
import * as limits from '../limits.js'
import { loadSection } from '../load-section.js'
import { exit } from '../output.js'
import { requirePrograms } from '../required-programs.js'
import { tuneCollector } from '../tune-collector.js'
import { UsageError } from '../usage-error.js'
import { flagNamesIn, flagsHelp, type GivenFlags, noFlags, readFlags } from '../worker-flags.js'

/** `words`: what stands after the name. */
export async function runWorker(name: string, words: readonly string[]): Promise<never> {
  const environment = readEnvironment()
  const { create } = builtInWorker(name)
  const given = await givenFlags(name, words)
  const { file, section, warnings, located } = await loadSection(environment, name, given)
  if (!environment.variables['CALLBOARD_HUB']) requireShortDirectory(environment.runtimeDirectory)
  requirePrograms([name], file, environment.variables['PATH'] ?? '')
  const secret = await signInSecret(name, environment)
  const { dataDirectory, runtimeDirectory, databaseUrl, hubUrl, variables } = environment
  const signal = environment.isSupervised ? endOfSupervisor() : new AbortController().signal
  await makeDataDirectory(dataDirectory)
  tuneCollector()
  const worker = await explained(
    create({
      dataDirectory,
      runtimeDirectory,
      variables,
      config: section,
      warnings,
      maskedPaths: secretPlaces(environment),
      ...(hubUrl !== undefined && { hubUrl }),
      ...(databaseUrl !== undefined && { databaseUrl }),
    }),
    located,
  )
  if (environment.healthFile !== undefined) keepHealthFile(worker.worker, environment.healthFile)
  await explained(worker.run({ signal, ...(secret !== undefined && { secret }) }).then(throwIfAny))
  return exit(0)
}

/** Flags of a worker, and what they mean. */
export async function workerHelp(name: string): Promise<string | undefined> {
  const own = await builtInWorker(name).flags?.()
  if (own === undefined) return undefined
  const examples = own.examples.map((example) => `  ${example}`).join('\n')
  return `\nFlags of ${name} (also with hyphens; a flag wins over CALLBOARD_${name.toUpperCase()}__<KEY>):\n${flagsHelp(own.flags)}\n\nExamples:\n${examples}`
}

async function givenFlags(name: string, words: readonly string[]): Promise<GivenFlags> {
  if (words.length === 0) return noFlags
  const own = await builtInWorker(name).flags?.()
  if (own !== undefined) return readFlags(words, own.flags)
  const names = flagNamesIn(words).join(', ')
  const given = names === '' ? 'something was given after its name' : `there is no ${names}`
  throw new UsageError(`The worker ${name} takes no flags: ${given} (see callboard worker --help).`)
}

/**
 * Started by hand, a worker knows no other hub's secret than that of the data directory it shares with one. Every built-in
 * worker needs one: without it is refused for certain, so that is said at once.
 */
async function signInSecret(name: string, { variables, dataDirectory }: Environment): Promise<string | undefined> {
  if (variables['CALLBOARD_SIGN_IN_SECRET'] || variables['CALLBOARD_SIGN_IN_SECRET_FILE']) return undefined
  // By a key it needs no other proof.
  if (variables['CALLBOARD_KEY_FILE']) return undefined
  // A hub on another machine has another secret, and takes keys only: the worker itself says which are missing.
  if (elsewhere.test(variables['CALLBOARD_HUB'] ?? '')) return undefined
  const { secretFiles } = await import('@callboard/hub')
  const file = secretFiles(dataDirectory).signIn
  const secret = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `The worker ${name} needs its hub's sign-in secret, and ${file} can't be read (${error.code}): start the hub first, or ${secretRemedy}`,
    )
  })
  return secret.trim()
}

const elsewhere = /^tcp:\/\/(?!127\.|\[::1\]|localhost\b)/
const secretRemedy = 'set CALLBOARD_SIGN_IN_SECRET_FILE to <data>/sign-in.secret of the hub.'

/** The supervisor holds our stdin open: its end is the supervisor's, even where that could not say so. */
function endOfSupervisor(): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (gone.signal.aborted) return
    gone.abort()
    setTimeout(() => process.exit(1), limits.orphanExitMs).unref()
  }
  process.stdin.on('end', leave).on('close', leave).on('error', leave).resume()
  // It holds the process open only as long as there is a worker.
  ;(process.stdin as { unref?: () => void }).unref?.()
  return gone.signal
}

async function makeDataDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`${path} can't be made (${code}): set CALLBOARD_DATA to a directory that you can write.`)
  }
}

/** Wrong config, an unusable environment, a hub that refuses the worker for good: all for the person who runs it. */
async function explained<T>(running: Promise<T>, located = (problem: string) => problem): Promise<T> {
  try {
    return await running
  } catch (error) {
    const { problems, path, message, code } = error as Error & {
      readonly problems?: readonly string[]
      /** Of the file that has them. */
      readonly path?: string
      readonly code?: string
    }
    if (code === 'proof_required' || code === 'bad_proof') throw new UsageError(wrongSecret(message), { cause: error })
    const fileProblem = describeFileProblem(error, readEnvironment())
    const wrong =
      problems && (path === undefined ? problems.map(located) : [`${path}: ${problems.join('; ')}`]).join('; ')
    throw new UsageError(wrong === undefined ? (fileProblem ?? message) : `${wrong}.`, { cause: error })
  }
}

function throwIfAny(refusal: Error | undefined): void {
  if (refusal !== undefined) throw refusal
}

/** The hub's own sentence can't know where its secret lies. */
function wrongSecret(message: string): string {
  return `${message.replace(/\.? \((\w+)\)$/, ' ($1)')}: ${secretRemedy}`
}
