import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '@callboard/worker'
import type { KernelConfig } from '../config.js'
import type { Kernel } from '../kernel/kernel.js'
import { pythonRuntimeName } from '../limits.js'
import { PythonRuntime } from './python/python-runtime.js'
import { KernelStartError } from './python/startup-conversation.js'
import type { Runtime, RuntimeEvents } from './runtime.js'

/** Starts processes of whichever runtime a kernel asks for. */
export function runtimeStarter(
  config: KernelConfig,
  dataDirectory: string,
  currentSession: (kernel: Kernel) => Promise<string>,
) {
  return async (kernel: Kernel, name: string, events: RuntimeEvents): Promise<Runtime> => {
    if (name !== pythonRuntimeName) {
      throw new ToolError('not_found', `There is no runtime "${name}". There is: ${pythonRuntimeName}.`)
    }
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
      return await PythonRuntime.start({ python, workingDirectory, limits, ...events })
    } catch (error) {
      if (error instanceof KernelStartError) throw new ToolError('kernel_start_failed', error.message, { cause: error })
      throw error
    }
  }
}

/** Files stay with the session; one that is shared has a workspace per owner, so that no owner's files reach another. */
function folderOf(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, 16)
}
