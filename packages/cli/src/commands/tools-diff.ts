import { print, printJson } from '../output.js'
import { askPinning, type HeldAnswer, heldOfName } from '../tools/ask-pinning.js'
import { describeHeld } from '../tools/describe-held.js'

/** `name`: of a service or a definition; undefined: all. */
export async function runToolsDiff(name: string | undefined, { json }: { readonly json?: boolean }): Promise<void> {
  const answer = await askPinning<HeldAnswer>({ command: 'held_definitions' })
  const held = name === undefined ? answer.held : heldOfName(answer, name)
  if (json) return printJson({ held, total: answer.total })
  if (held.length === 0) return print('Nothing is held back.')
  print(held.map(describeHeld).join('\n\n'))
  if (answer.total > answer.held.length) {
    print(`\n${answer.total - answer.held.length} more are held back: they are shown when these are accepted.`)
  }
}
