import { askSocial } from '../approvals/ask-social.js'
import { editText } from '../approvals/edit-text.js'
import type { Item } from '../approvals/items.js'
import { fitsOneText, partsOf, textOf } from '../approvals/parts-text.js'
import { type Environment, readEnvironment } from '../environment.js'
import { complain, exit, print } from '../output.js'
import { UsageError } from '../usage-error.js'

export interface ApprovalsEditOptions {
  /** One for each part, in place of an editor. */
  readonly text?: readonly string[]
}

export async function runApprovalsEdit(id: number, { text }: ApprovalsEditOptions): Promise<never> {
  const environment = readEnvironment()
  const { data: item } = await askSocial<Item>(environment, 'get_item', { id })
  if (item.status !== 'pending')
    throw new UsageError(`Item ${id} is ${item.status}: only what is pending can be edited.`)
  await (text === undefined ? editInEditor(environment, item) : change(environment, item, text))
  return exit(0)
}

async function editInEditor(environment: Environment, item: Item): Promise<void> {
  const { id, parts } = item
  if (!fitsOneText(parts))
    throw new UsageError(`A part of item ${id} has a line --- in it: give each part with --text.`)
  const edited = await editText(textOf(parts), `item-${id}.txt`, environment)
  try {
    await change(environment, item, partsOf(edited.text), partsOf(textOf(parts)))
  } catch (error) {
    complain(`callboard: Your text is kept in ${edited.file}`)
    throw error
  }
  await edited.discard()
}

/** `before`: what the parts are when nobody touched them. */
async function change(
  environment: Environment,
  { id, rev, parts: own }: Item,
  parts: readonly string[],
  before: readonly string[] = own,
): Promise<void> {
  if (isSame(parts, before)) return print(`Nothing was changed in item ${id}.`)
  if (parts.some((part) => part.trim() === ''))
    throw new UsageError(`A part is empty: nothing was changed in item ${id}.`)
  const { data } = await askSocial<Item>(environment, 'edit_item', { id, rev, parts })
  const sizes = data.part_lengths.map(({ count, limit, unit }) => `${count} of ${limit} ${unit}`)
  print(`Item ${id} has rev ${data.rev} now (${sizes.join('; ')}): "callboard approvals approve ${id}" shows it.`)
}

const isSame = (a: readonly string[], b: readonly string[]): boolean => JSON.stringify(a) === JSON.stringify(b)
