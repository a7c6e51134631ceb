import { closeSync, constants, existsSync, openSync, readlinkSync, readSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { findInterpreter } from '../../isolation/interpreter.js'
import { shebangBytesMax, symbolicLinksMax } from '../../limits.js'
import type { Kernelspec } from './kernelspec.js'

export interface Installation {
  /** The program itself, where its name on PATH may be a script that looks for it. */
  readonly program: string
  /** What it reads when it starts, as far as that can be known: absolute paths, which may be absent. */
  readonly readable: readonly string[]
}

type Environment = { readonly [name: string]: string }

/**
 * Where a kernel lies, for a sandbox that hides homes: the folder of its kernelspec, the installation around its program, the
 * paths that the spec's own variables and arguments name.
 */
export async function installationOf(spec: Kernelspec, environment: Environment): Promise<Installation> {
  const [name = ''] = spec.argv
  const program = findProgram(name, environment) ?? name
  const python = pythonName.test(basename(program)) ? await askPython(program, environment) : undefined
  return {
    program: python?.program ?? name,
    readable: [
      spec.directory,
      ...spec.argv.slice(1).filter((part) => isAbsolute(part)),
      ...Object.keys(spec.env).flatMap((variable) => pathsIn(environment[variable] ?? '')),
      ...(isAbsolute(program) ? around(program) : []),
      ...(python?.readable ?? []),
    ],
  }
}

/** As Jupyter itself has it: such a name means an interpreter, wherever it is. */
const pythonName = /^python[\d.]*$/

/** Undefined when it does not answer: then its start will say why. */
async function askPython(program: string, environment: Environment): Promise<Installation | undefined> {
  try {
    const { executable, directories } = await findInterpreter(program, environment)
    return { program: executable, readable: [...directories, ...around(executable)] }
  } catch {
    return undefined
  }
}

function findProgram(name: string, environment: Environment): string | undefined {
  if (name.includes('/')) return resolve('/', name)
  const places = pathsIn(environment['PATH'] ?? '').map((directory) => join(directory, name))
  return places.find((place) => statSync(place, { throwIfNoEntry: false })?.isFile())
}

function pathsIn(value: string): readonly string[] {
  return value.split(delimiter).filter((path) => isAbsolute(path))
}

/** Of the file, of each that it is a link to, and of the interpreter that its first line names. */
function around(program: string): readonly string[] {
  const files: string[] = []
  for (let file: string | undefined = program; file !== undefined && files.length < symbolicLinksMax; ) {
    files.push(file)
    file = linkedFrom(file) ?? interpreterIn(file)
  }
  return files.flatMap((file) => [file, ...prefixOf(file)])
}

/**
 * Of `PREFIX/bin/program` the prefix, if it is an installation; somebody's own `~/.local`, where secrets lie as well, only in
 * its parts. Of anything else the folder alone.
 */
function prefixOf(file: string): readonly string[] {
  const folder = dirname(file)
  const prefix = dirname(folder)
  const libraries = ['lib', 'lib64', 'libexec'].map((name) => join(prefix, name)).filter((path) => existsSync(path))
  if (basename(folder) !== 'bin' || libraries.length === 0) return [folder]
  return basename(prefix) === '.local' ? [folder, ...libraries] : [prefix]
}

function linkedFrom(file: string): string | undefined {
  try {
    return resolve(dirname(file), readlinkSync(file))
  } catch {
    return undefined
  }
}

function interpreterIn(file: string): string | undefined {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const beginning = Buffer.alloc(shebangBytesMax)
      const length = readSync(descriptor, beginning, 0, shebangBytesMax, 0)
      return /^#!\s*(\/\S+)/.exec(beginning.toString('latin1', 0, length))?.[1]
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}
