import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childVariables, type Environment } from '../environment.js'
import { CommandError, UsageError } from '../usage-error.js'

export interface EditedText {
  readonly text: string
  /** Where it lies until it is discarded: what somebody wrote is not lost when it is refused. */
  readonly file: string
  discard(): Promise<void>
}

/** Opens the person's editor on a text, and waits for its end. @throws UsageError, CommandError */
export async function editText(text: string, name: string, environment: Environment): Promise<EditedText> {
  const editor = environment.variables['VISUAL'] || environment.variables['EDITOR']
  if (!editor) throw new UsageError('No editor is known: set EDITOR, or give the new text with --text.')
  const directory = await mkdtemp(join(tmpdir(), 'callboard-edit-'))
  const file = join(directory, name)
  const discard = () => rm(directory, { recursive: true, force: true })
  await writeFile(file, text, { mode: 0o600 })
  // Through a shell, as everywhere: an editor may have options.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], {
    stdio: 'inherit',
    env: childVariables(environment),
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) {
    await discard()
    throw new CommandError(`The editor ended with ${code ?? 'a signal'}: nothing was changed.`)
  }
  return { text: await readFile(file, 'utf8'), file, discard }
}
