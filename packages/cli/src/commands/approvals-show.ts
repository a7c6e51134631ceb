import { advisoryNote } from '../approvals/advisory.js'
import { askSocial } from '../approvals/ask-social.js'
import { describeItem } from '../approvals/describe-item.js'
import type { Item } from '../approvals/items.js'
import { readEnvironment } from '../environment.js'
import { exit, print, printJson } from '../output.js'

export async function runApprovalsShow(id: number, { json }: { readonly json?: boolean }): Promise<never> {
  const environment = readEnvironment()
  const { data: item } = await askSocial<Item>(environment, 'get_item', { id })
  if (json) {
    printJson(item)
    return exit(0)
  }
  print(describeItem(item, Date.now()))
  const note = item.status === 'pending' ? await advisoryNote(environment) : undefined
  if (note !== undefined) print(`\n${note}`)
  return exit(0)
}
