import { visible } from '../approvals/visible.js'
import { print, printJson } from '../output.js'
import { tableOf } from '../table.js'
import { askPinning, type ShownPin } from '../tools/ask-pinning.js'
import { hashShownLength } from '../tools/describe-held.js'
import { minute } from '../utc-minute.js'

export async function runToolsPins({ json }: { readonly json?: boolean }): Promise<void> {
  const answer = await askPinning<{ readonly pins: readonly ShownPin[] }>({ command: 'accepted_definitions' })
  const pins = answer.pins.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
  if (json) return printJson({ pins })
  if (pins.length === 0) return print('Nothing was accepted yet: "callboard tools diff" shows what is held back.')
  const rows = pins.map(({ identity, service, kind, name, hash, acceptedAt }) =>
    [name, kind, service, identity, minute(acceptedAt), hash.slice(0, hashShownLength)].map(visible),
  )
  print(tableOf('NAME KIND SERVICE WORKER ACCEPTED HASH', rows).join('\n'))
}

/** Of one name the newest first, as the hub has them. */
const orderOf = ({ service, kind, name, acceptedAt }: ShownPin): string =>
  JSON.stringify([service, kind, name, Number.MAX_SAFE_INTEGER - acceptedAt])
