import { didYouMean } from '@callboard/protocol/nearest-name'
import { visible } from '../approvals/visible.js'
import { HubRefusal } from '../hub-link/hub-socket.js'
import { print, printJson } from '../output.js'
import { askPinning, type ShownPin } from '../tools/ask-pinning.js'
import { UsageError } from '../usage-error.js'

/** `name`: of definitions, of a service, or of a worker, like `key:far`. */
export async function runToolsForget(name: string, { json }: { readonly json?: boolean }): Promise<void> {
  const command = { command: 'forget_accepted', name }
  const { forgotten } = await askPinning<{ readonly forgotten: readonly ShownPin[] }>(command).catch(
    async (error: unknown) => {
      throw error instanceof HubRefusal && error.code === 'unknown_name' ? await unknownName(name) : error
    },
  )
  if (json) return printJson({ forgotten })
  const names = [...new Set(forgotten.map((pin) => visible(pin.name)))].join(', ')
  print(`Not accepted any more: ${names}. What of it a worker offers is held back.`)
}

async function unknownName(name: string): Promise<UsageError> {
  const { pins } = await askPinning<{ readonly pins: readonly ShownPin[] }>({ command: 'accepted_definitions' })
  const known = pins.flatMap((pin) => [pin.name, pin.service, pin.identity])
  const hint = didYouMean(name, [...new Set(known)])
  return new UsageError(visible(`Nothing of ${name} was accepted${hint}: "callboard tools pins" lists what was.`))
}
