import { constants } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { didYouMean, ToolError } from '@callboard/worker'
import { kernelspecBytesMax, kernelspecsMax, pythonRuntimeName } from '../../limits.js'
import { type JupyterPlaces, jupyterPlaces } from '../child-environment.js'
import { plainRuntimeName, runtimePrefix } from '../runtime-name.js'
import { type Kernelspec, kernelspecName, parseKernelspec } from './kernelspec.js'

/** A directory that looks like a kernelspec and is none; `reason` is a sentence. */
export interface BrokenKernelspec {
  readonly name: string
  readonly directory: string
  readonly reason: string
}

export interface Kernelspecs {
  readonly usable: readonly Kernelspec[]
  readonly broken: readonly BrokenKernelspec[]
}

export interface KernelspecSearch {
  /** Looked through first. Each holds directories with a kernel.json, as Jupyter's `kernels` does. */
  readonly directories?: readonly string[]
  /** The configured interpreter: one given by its path has kernelspecs beside it. */
  readonly python?: string
  readonly places?: JupyterPlaces
}

/** All that are installed, as they are at this moment. Never rejects: what cannot be read is broken or absent. */
export async function findKernelspecs(search: KernelspecSearch = {}): Promise<Kernelspecs> {
  const found = new Map<string, Kernelspec | BrokenKernelspec>()
  for (const directory of kernelspecDirectories(search)) {
    // The first of a name wins, as with Jupyter.
    for (const spec of await specsIn(directory)) if (!found.has(spec.name)) found.set(spec.name, spec)
  }
  const all = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    usable: all.filter((spec): spec is Kernelspec => 'argv' in spec),
    broken: all.filter((spec): spec is BrokenKernelspec => 'reason' in spec),
  }
}

/** What an agent writes as `runtime`. */
export function runtimeNameOf({ name }: { readonly name: string }): string {
  return name === pythonRuntimeName ? `${runtimePrefix}${name}` : name
}

/** The kernelspec that `runtime` means; undefined for the built-in one. Throws the ToolError `not_found`. */
export function chooseKernelspec(runtime: string, specs: Kernelspecs): Kernelspec | undefined {
  const wanted = plainRuntimeName(runtime)
  if (wanted === pythonRuntimeName) return undefined
  const spec = specs.usable.find((usable) => runtimeNameOf(usable) === wanted)
  if (spec) return spec
  const broken = specs.broken.find((unusable) => runtimeNameOf(unusable) === wanted)
  const names = [pythonRuntimeName, ...specs.usable.map(runtimeNameOf)]
  const reason = broken ? `The runtime "${runtime}" is installed but broken: ${broken.reason}` : undefined
  const unknown = `There is no runtime "${runtime.slice(0, 128)}"${didYouMean(wanted, names)}.`
  throw new ToolError('not_found', `${reason ?? unknown} Installed: ${names.join(', ')}.`)
}

/** In the order of Jupyter 5: what is closest to the caller first, then its user's, then the system's. */
export function kernelspecDirectories({
  directories = [],
  python,
  places = jupyterPlaces(),
}: KernelspecSearch): readonly string[] {
  const beside = python !== undefined && isAbsolute(python) ? [dirname(dirname(python))] : []
  const data = [
    ...places.jupyterPath,
    ...[...places.prefixes, ...beside].map((prefix) => join(prefix, 'share', 'jupyter')),
    userDirectory(places),
    '/usr/local/share/jupyter',
    '/usr/share/jupyter',
  ]
  return [...new Set([...directories, ...data.map((directory) => join(directory, 'kernels'))])]
}

function userDirectory({ home, platform, jupyterDataDir, xdgDataHome }: JupyterPlaces): string {
  if (jupyterDataDir !== undefined) return jupyterDataDir
  if (platform === 'darwin') return join(home, 'Library', 'Jupyter')
  return join(xdgDataHome ?? join(home, '.local', 'share'), 'jupyter')
}

async function specsIn(directory: string): Promise<readonly (Kernelspec | BrokenKernelspec)[]> {
  const entries = await readdir(directory).catch(() => [])
  const names = entries.filter((name) => kernelspecName.test(name)).sort()
  const specs = await Promise.all(names.slice(0, kernelspecsMax).map((name) => readSpec(name, join(directory, name))))
  return specs.filter((spec) => spec !== undefined)
}

async function readSpec(name: string, directory: string): Promise<Kernelspec | BrokenKernelspec | undefined> {
  const broken = (reason: string) => ({ name: name.toLowerCase(), directory, reason })
  try {
    const text = await readBounded(join(directory, 'kernel.json'))
    if (text === undefined) return broken(`kernel.json is no file of at most ${kernelspecBytesMax / 1024} KiB.`)
    const spec = parseKernelspec(name, directory, text)
    return typeof spec === 'string' ? broken(spec) : spec
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A directory without the file is no kernelspec, and neither is a file.
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : broken(`kernel.json cannot be read (${code}).`)
  }
}

async function readBounded(path: string): Promise<string | undefined> {
  let file: FileHandle | undefined
  try {
    // Without waiting for the other end, should it be a FIFO.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const status = await file.stat()
    if (!status.isFile() || status.size > kernelspecBytesMax) return undefined
    const { buffer, bytesRead } = await file.read(Buffer.alloc(kernelspecBytesMax + 1))
    return bytesRead > kernelspecBytesMax ? undefined : buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file?.close()
  }
}
