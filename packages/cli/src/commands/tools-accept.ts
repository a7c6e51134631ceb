import type { ShownHeld } from '@callboard/hub'
import { confirmed, requireSomebody } from '../approvals/confirm.js'
import { visible } from '../approvals/visible.js'
import { exit, print, printJson } from '../output.js'
import { askPinning, type HeldAnswer, heldOfName } from '../tools/ask-pinning.js'
import { describeHeld, hashShownLength } from '../tools/describe-held.js'
import { acceptedAtOnceMax } from '../tools/limits.js'
import { UsageError } from '../usage-error.js'

export interface ToolsAcceptOptions {
  readonly all?: boolean
  readonly hash?: string
  readonly yes?: boolean
  readonly json?: boolean
}

/** Exits 0 when all that was shown is accepted. */
export async function runToolsAccept(names: readonly string[], options: ToolsAcceptOptions): Promise<never> {
  const { all = false, hash, yes = false, json = false } = options
  checkUsage(names, options)
  requireSomebody(yes)
  const answer = await askPinning<HeldAnswer>({ command: 'held_definitions' })
  const named = all ? answer.held : [...new Set(names.flatMap((name) => heldOfName(answer, name)))]
  const chosen = hash === undefined ? named : withHash(named, hash)
  if (!json) for (const held of chosen) print(`${describeHeld(held)}\n`)
  if (chosen.length === 0) {
    if (json) printJson({ accepted: [] })
    else print('Nothing is held back.')
    return exit(0)
  }
  const what = chosen.length === 1 ? 'this definition' : `these ${chosen.length} definitions`
  if (!(await confirmed(`Accept ${what}?`, yes))) {
    print('Nothing was accepted.')
    return exit(1)
  }
  await accept(chosen)
  const left = answer.total - chosen.length
  if (json) printJson({ accepted: chosen.map(identify), held: left })
  else print(`Accepted ${chosen.map(({ name }) => visible(name)).join(', ')}${left > 0 ? `; ${left} held back.` : '.'}`)
  return exit(0)
}

function checkUsage(
  names: readonly string[],
  { all = false, hash, yes = false, json = false }: ToolsAcceptOptions,
): void {
  if (all === names.length > 0) {
    throw new UsageError('Name a service or definitions, or say --all: "callboard tools diff" shows what is held back.')
  }
  if (hash !== undefined && (names.length !== 1 || hash.length < hashShownLength || !/^[0-9a-f]{1,64}$/.test(hash))) {
    throw new UsageError('--hash goes with one name, and has all the digits that "callboard tools diff" shows.')
  }
  if (json && !yes) throw new UsageError('--json goes with --yes: nobody can be asked.')
}

/** @throws UsageError unless it is one of them: another one was seen. */
function withHash(held: readonly ShownHeld[], hash: string): readonly ShownHeld[] {
  const found = held.filter((each) => each.hash.startsWith(hash))
  if (found.length === 1) return found
  throw new UsageError('No such definition has this hash now: it changed, or was accepted; see "callboard tools diff".')
}

/** Exactly what was shown: the hub refuses what is another one by now. */
async function accept(held: readonly ShownHeld[]): Promise<void> {
  for (let start = 0; start < held.length; start += acceptedAtOnceMax) {
    const definitions = held.slice(start, start + acceptedAtOnceMax).map(identify)
    const command = { command: 'accept_definitions', definitions }
    await askPinning(command)
  }
}

const identify = ({ identity, service, kind, name, hash }: ShownHeld) => ({ identity, service, kind, name, hash })
