import { createHash } from 'node:crypto'
import { type DefinitionKind, nameLengthMax } from '@callboard/protocol'

/** What model APIs take as a tool's name, `^[A-Za-z0-9_-]{1,64}$`: for a single other one some refuse the whole list. */
const toolNameLengthMax = 64
const unsafe = /[^A-Za-z0-9_-]/g
const digestLength = 8

/**
 * The name by which agents know a definition: a function of the service's name and the worker's own and of nothing else, so
 * that it is the same after a restart and for every replica. [CB-27]
 */
export function exposedName(
  kind: DefinitionKind,
  service: string,
  name: string,
  namespace: 'never' | 'always',
): string {
  const whole = namespace === 'always' ? `${service}_${name}` : name
  switch (kind) {
    case 'tool':
      return safeToolName(whole)
    case 'prompt':
      return shortened(whole, whole, nameLengthMax)
    case 'resource':
    case 'resourceTemplate':
      return name
  }
}

/** The name itself when every client takes it. */
export function safeToolName(name: string): string {
  return shortened(name.replace(unsafe, '_'), name, toolNameLengthMax)
}

/** What is cut off still counts: two long names that begin alike stay two. */
function shortened(name: string, whole: string, lengthMax: number): string {
  if (name.length <= lengthMax) return name
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, digestLength)
  return `${name.slice(0, lengthMax - digestLength - 1)}_${digest}`
}
