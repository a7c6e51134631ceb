import { type Finding, note, ok, problem } from './finding.js'

/** What stands between this machine and programs that agents steer; `section`: the kernel's, `undefined` for its defaults. */
export async function checkSandbox(section: unknown): Promise<Finding> {
  const { lookForSandbox } = await import('@callboard/kernel/sandbox')
  try {
    const { kind, description, problem: missing } = await lookForSandbox(section)
    if (missing !== undefined) {
      return problem('kernel sandbox', description, 'install bubblewrap, or set "kernel.sandbox" to auto or off')
    }
    if (kind === 'bubblewrap') return ok('kernel sandbox', description)
    return note(
      'kernel sandbox',
      `${description}, the operator secret among them; approvals are advisory`,
      'install bubblewrap and leave "kernel.sandbox" at auto, or run the workers as another user or in containers, see docker-compose.yml',
    )
  } catch {
    // The section itself is wrong, which is said elsewhere.
    return note('kernel sandbox', 'not looked for, as the configuration is wrong', 'correct it')
  }
}
