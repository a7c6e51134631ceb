import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CompilePattern } from './policy/argument-schema.js'
import { policyBytesMax } from './policy/limits.js'
import { parsePolicy } from './policy/parse-policy.js'
import { Policy } from './policy/policy.js'

/** The policy file can't be used: every problem, each a sentence. */
export class PolicyFileError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Where the policy is, and whether somebody said so: then it has to be there. */
export function policyFileOf(config: { readonly dataDirectory: string; readonly policyFile?: string }): {
  readonly file: string
  readonly isNamed: boolean
} {
  const { dataDirectory, policyFile } = config
  return { file: policyFile ?? join(dataDirectory, 'policy.json'), isNamed: policyFile !== undefined }
}

/** Undefined: there is no such file. @throws PolicyFileError */
export async function readPolicy(file: string): Promise<Policy | undefined> {
  const text = await readText(file)
  if (text === undefined) return undefined
  const parsed = parsePolicy(text, await linearTimePatterns())
  if ('problems' in parsed) throw new PolicyFileError(parsed.problems.map((problem) => `${file}: ${problem}`))
  return new Policy(parsed.content)
}

/** Tells one state of the file from another; undefined: it is not there. @throws PolicyFileError */
export async function policyFileVersion(file: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
    return [ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw unreadable(file, error)
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    const status = await stat(file)
    // To open a pipe is to wait for its writer.
    if (!status.isFile()) throw new PolicyFileError([`${file} is no file: the policy is one, with JSON in it.`])
    if (status.size > policyBytesMax) {
      throw new PolicyFileError([`${file} has more than ${policyBytesMax} bytes: use patterns instead of long lists.`])
    }
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof PolicyFileError) throw error
    if (isAbsent(error)) return undefined
    throw unreadable(file, error)
  }
}

const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

const unreadable = (file: string, error: unknown): PolicyFileError =>
  new PolicyFileError([`${file} can't be read (${(error as Error).message}): make it readable to the hub's user.`])

/** Agents choose the texts, so that no pattern may take long over one. Loaded here: most hubs have no policy. */
async function linearTimePatterns(): Promise<CompilePattern> {
  const { RE2JS } = await import('re2js')
  return (pattern) => {
    const compiled = RE2JS.compile(pattern)
    return { work: compiled.programSize(), test: (text) => compiled.test(text) }
  }
}
