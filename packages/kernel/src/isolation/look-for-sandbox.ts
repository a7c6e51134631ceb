import { parseKernelConfig } from '../config.js'
import { Sandbox, SandboxMissingError } from './sandbox.js'

export interface SandboxFinding {
  readonly kind: 'bubblewrap' | 'none'
  readonly description: string
  /** Why no kernel can start: a sandbox is required, and there is none. */
  readonly problem?: string
}

/** What kernels of this configuration would get on this machine; by a trial. Throws a KernelConfigError. */
export async function lookForSandbox(section: unknown): Promise<SandboxFinding> {
  const { sandbox: config } = parseKernelConfig(section)
  try {
    const { kind, description } = await Sandbox.open({
      config,
      maskedPaths: [],
      trial: { argv: ['/bin/sh', '-c', ':'] },
    })
    return { kind, description }
  } catch (error) {
    if (!(error instanceof SandboxMissingError)) throw error
    return { kind: 'none', description: error.message, problem: error.message }
  }
}
