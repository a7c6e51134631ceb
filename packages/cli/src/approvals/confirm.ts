import { createInterface } from 'node:readline'
import { UsageError } from '../usage-error.js'

export interface Conversation {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** What is not a clear yes is a no: an empty line, the end of the input, Ctrl-C. */
export async function confirm(question: string, { input, output }: Conversation): Promise<boolean> {
  const lines = createInterface({ input, output })
  try {
    return await new Promise<boolean>((resolve) => {
      lines.on('close', () => resolve(false))
      lines.on('SIGINT', () => lines.close())
      lines.question(`${question} [y/N] `, (answer) => resolve(/^(y|yes)$/i.test(answer.trim())))
    })
  } finally {
    lines.close()
  }
}

/** Asks at the terminal; `yes` was given on the command line. @throws UsageError when there is nobody to ask. */
export async function confirmed(question: string, yes: boolean): Promise<boolean> {
  if (yes) return true
  requireSomebody(yes)
  return confirm(question, { input: process.stdin, output: process.stderr })
}

/** @throws UsageError when a question would have nobody to answer it. */
export function requireSomebody(yes: boolean): void {
  if (yes || process.stdin.isTTY === true) return
  throw new UsageError('Standard input is no terminal, so nobody can be asked: add --yes to approve what is shown.')
}
