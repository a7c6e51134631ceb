import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { builtInWorker } from '../built-in-workers.js'
import { findProgram } from '../required-programs.js'
import { type Finding, ok, problem } from './finding.js'

const run = promisify(execFile)
const programWaitMs = 10_000

const nodeLeast = [20, 19] as const
const pythonLeast = [3, 9] as const

export function checkNode(version = process.versions.node): Finding {
  if (isAtLeast(version, nodeLeast)) return ok('node', `Node ${version}`)
  return problem('node', `Node ${version} is too old`, `install Node ${nodeLeast.join('.')} or later`)
}

/** The programs that the chosen workers need; today that is Python. */
export async function checkPrograms(
  workers: readonly string[],
  sectionOf: (worker: string) => unknown,
  path: string,
): Promise<Finding[]> {
  const findings = workers.map(async (name) => {
    const program = builtInWorker(name).program?.(sectionOf(name))
    return program === undefined ? [] : [await checkPython(program.name, program.remedy, path)]
  })
  return (await Promise.all(findings)).flat()
}

async function checkPython(name: string, remedy: string, path: string): Promise<Finding> {
  const file = findProgram(name, path)
  if (file === undefined) return problem('python', `${name} was not found`, remedy)
  try {
    const { stdout } = await run(file, ['--version'], { timeout: programWaitMs })
    const version = stdout.trim().replace(/^Python /, '')
    if (isAtLeast(version, pythonLeast)) return ok('python', `Python ${version} at ${file}`)
    return problem('python', `${file} is Python ${version}`, `install Python ${pythonLeast.join('.')} or later`)
  } catch (error) {
    return problem('python', `${file} does not run: ${(error as Error).message.split('\n')[0]}`, remedy)
  }
}

/** In a process of its own: a module that was built for another Node may end the process that loads it. */
export async function checkNativeModules(): Promise<Finding[]> {
  return Promise.all([
    checkNativeModule('zeromq', ['@callboard/hub'], 'new m.Dealer().close()'),
    checkNativeModule('better-sqlite3', ['@callboard/kernel', '@callboard/store'], "new m(':memory:').close()"),
  ])
}

/** `owners`: the way of dependencies to the package that uses the module. */
async function checkNativeModule(name: string, owners: readonly string[], use: string): Promise<Finding> {
  const check = `module ${name}`
  try {
    const file = [...owners, name].reduce((from, to) => createRequire(from).resolve(to), import.meta.url)
    await run(process.execPath, ['-e', `const m = require(${JSON.stringify(file)}); ${use}`], {
      timeout: programWaitMs,
    })
    return ok(check, 'loads')
  } catch (error) {
    const lines = (error as Error).message.split('\n')
    const reason = lines.find((line) => line.startsWith('Error: ')) ?? lines[0]
    return problem(check, `does not load: ${reason}`, `run "npm rebuild ${name}" with the Node that runs Callboard`)
  }
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}
