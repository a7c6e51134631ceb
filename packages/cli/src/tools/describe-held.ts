import type { ShownHeld } from '@callboard/hub'
import { quoted, visible } from '../approvals/visible.js'
import { minute } from '../utc-minute.js'
import { differences } from './definition-difference.js'

/** Characters of a hash that are shown: as many as nobody finds two definitions for, one to be seen and one to be accepted. */
export const hashShownLength = 40

/** One held definition in lines: every line of its own text begins with a mark of ours, so that none can pass for ours. */
export function describeHeld(held: ShownHeld): string {
  const { kind, name, service, identity, hash, accepted, own } = held
  const of = own ? 'of single sessions of' : 'of'
  const state =
    accepted === undefined
      ? 'new: nothing of this name was accepted of this worker'
      : `changed: another one was accepted ${minute(accepted.acceptedAt)}`
  return [
    visible(`${kind} ${name} ${of} ${service} (${identity})`),
    `  hash ${hash.slice(0, hashShownLength)}, ${state}`,
    ...differences(shown(accepted), shown(held)).flatMap(({ mark, path, text }) => [
      ...(path === '' ? [] : quoted(path, '  @ ')),
      ...quoted(text, `  ${mark} `),
    ]),
  ].join('\n')
}

function shown(definition: Pick<ShownHeld, 'listed' | 'roles'> | undefined): { readonly [key: string]: unknown } {
  if (definition === undefined) return {}
  const { listed, roles } = definition
  return roles === undefined ? listed : { ...listed, 'seen by roles': roles }
}
