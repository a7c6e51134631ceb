import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '@callboard/worker'
import type { KernelConfig } from '../config.js'
import type { Containment } from '../isolation/containment.js'
import type { Kernel } from '../kernel/kernel.js'
import { pythonRuntimeName } from '../limits.js'
import { JupyterRuntime } from './jupyter/jupyter-runtime.js'
import type { Kernelspec } from './jupyter/kernelspec.js'
import { chooseKernelspec, findKernelspecs } from './jupyter/kernelspecs.js'
import { KernelStartError } from './kernel-start-error.js'
import { PythonRuntime } from './python/python-runtime.js'
import type { Runtime, RuntimeEvents } from './runtime.js'
import { plainRuntimeName } from './runtime-name.js'

/** Starts processes of whichever runtime a kernel asks for. */
export function runtimeStarter(
  config: KernelConfig,
  dataDirectory: string,
  containment: Containment,
  currentSession: (kernel: Kernel) => Promise<string>,
) {
  return async (kernel: Kernel, name: string, events: RuntimeEvents): Promise<Runtime> => {
    const spec = await kernelspecOf(name, config)
    const workingDirectory = join(
      dataDirectory,
      'kernel',
      'workspaces',
      folderOf(kernel.owner),
      await currentSession(kernel),
    )
    await mkdir(workingDirectory, { recursive: true, mode: 0o700 })
    const { python, limits } = config
    try {
      const options = { python, workingDirectory, limits, containment, ...events }
      return await (spec ? JupyterRuntime.start({ ...options, spec }) : PythonRuntime.start(options))
    } catch (error) {
      if (error instanceof KernelStartError) throw new ToolError('kernel_start_failed', error.message, { cause: error })
      throw error
    }
  }
}

/** Undefined for the harness of this package. Kernelspecs are looked for at each start: installing one needs no restart. */
async function kernelspecOf(name: string, { kernelspecDirs, python }: KernelConfig): Promise<Kernelspec | undefined> {
  if (plainRuntimeName(name) === pythonRuntimeName) return undefined
  return chooseKernelspec(name, await findKernelspecs({ directories: kernelspecDirs, python }))
}

/** Files stay with the session; one that is shared has a workspace per owner, so that no owner's files reach another. */
function folderOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, 16)
}
