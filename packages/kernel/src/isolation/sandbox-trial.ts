import { execFile } from 'node:child_process'
import { release } from 'node:os'
import { promisify } from 'node:util'
import { trialMs } from './limits.js'

export type Trial =
  | {
      readonly works: true
      readonly bwrap: string
      readonly version: string
      readonly withoutNamespaces: boolean
      readonly countsProcesses: boolean
    }
  | { readonly works: false; readonly reason: string }

const run = promisify(execFile)
const bwrap = 'bwrap'

/** Starts something inside: that the program is installed says little, systems forbid user namespaces in many ways. */
export async function findSandbox(argumentsOf: (withoutNamespaces: boolean) => readonly string[]): Promise<Trial> {
  if (process.platform !== 'linux') return { works: false, reason: 'bubblewrap needs Linux' }
  let version: string
  try {
    version = (await run(bwrap, ['--version'], { timeout: trialMs })).stdout.trim().replace(/^bubblewrap /, '')
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return { works: false, reason: isAbsent ? 'bwrap is not installed' : `bwrap does not run: ${wordsOf(error)}` }
  }
  let reason = ''
  for (const withoutNamespaces of [true, false]) {
    try {
      await run(bwrap, argumentsOf(withoutNamespaces), { timeout: trialMs, env: {} })
      return { works: true, bwrap, version, withoutNamespaces, countsProcesses: countsProcesses() }
    } catch (error) {
      reason = `bwrap ${version} does not work here: ${wordsOf(error)}`
    }
  }
  return { works: false, reason }
}

/** Since Linux 5.14 RLIMIT_NPROC counts per user namespace, of which each sandbox has one; it never binds root. */
function countsProcesses(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return (major > 5 || (major === 5 && minor >= 14)) && process.getuid?.() !== 0
}

function wordsOf(error: unknown): string {
  const { stderr, message } = error as { readonly stderr?: string; readonly message: string }
  return (stderr?.trim().split('\n').at(-1) || message.split('\n')[0] || 'no reason given').slice(0, 300)
}
