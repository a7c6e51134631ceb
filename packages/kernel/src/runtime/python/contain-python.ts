import type { KernelConfig } from '../../config.js'
import { Containment } from '../../isolation/containment.js'
import { childEnvironment } from '../child-environment.js'
import { harnessDirectory } from './kernel-process.js'

/** What will hold the kernels of a worker; `maskedPaths`: what none of them may see. */
export function containPython({ python, sandbox }: KernelConfig, maskedPaths: readonly string[]): Containment {
  return new Containment({
    sandbox,
    python,
    maskedPaths,
    harness: harnessDirectory,
    environment: childEnvironment(),
  })
}
