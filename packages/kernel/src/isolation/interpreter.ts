import { execFile } from 'node:child_process'
import { isAbsolute } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { Exit } from '../runtime/process-group.js'
import { interpreterAnswerBytesMax, trialMs } from './limits.js'

export interface Interpreter {
  /** Itself, not a script that finds it: absolute. */
  readonly executable: string
  /** All that it reads when it starts and imports. */
  readonly directories: readonly string[]
}

const run = promisify(execFile)

const question = `
import json, os, site, sys
if sys.argv[1:]:
    import compileall
    compileall.compile_dir(sys.argv[1], quiet=2)
prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, site.getusersitepackages(), os.path.dirname(os.path.realpath(sys.executable)), sys.executable]
print(json.dumps({"executable": sys.executable, "directories": [path for path in prefixes + sys.path if path]}))
`

const answer = z.object({ executable: z.string().refine(isAbsolute), directories: z.array(z.string()) })

/** It did not say where it is. */
export class InterpreterError extends Error {
  override readonly name = 'InterpreterError'
  readonly exit: Exit
  /** What it wrote about that. */
  readonly text: string

  constructor(exit: Exit, text: string) {
    super('The interpreter did not say where it is.')
    this.exit = exit
    this.text = text
  }
}

/**
 * Where an interpreter really is: a name on PATH may be a script of pyenv, in a home that a sandbox hides. Rejects with an
 * InterpreterError.
 */
export async function findInterpreter(
  python: string,
  environment: { readonly [name: string]: string },
  /** Compiled on the way, as nothing in a sandbox can keep what it has compiled. */
  harness?: string,
): Promise<Interpreter> {
  try {
    const { stdout } = await run(python, ['-c', question, ...(harness === undefined ? [] : [harness])], {
      env: environment,
      cwd: '/',
      timeout: trialMs,
      maxBuffer: interpreterAnswerBytesMax,
    })
    const { executable, directories } = answer.parse(JSON.parse(stdout))
    return { executable, directories: directories.filter((path) => isAbsolute(path)) }
  } catch (error) {
    throw interpreterError(error)
  }
}

function interpreterError(error: unknown): InterpreterError {
  const {
    code,
    signal,
    stderr = '',
  } = error as {
    readonly code?: number | string
    readonly signal?: NodeJS.Signals
    readonly stderr?: string
  }
  if (typeof code === 'number' || signal) {
    return new InterpreterError({ code: typeof code === 'number' ? code : null, signal: signal ?? null }, stderr)
  }
  return new InterpreterError({ code: null, signal: null, error: error as Error }, stderr)
}
