import { isPrivateWay } from '../sites/base-url.js'
import type { WrittenSection } from './section-schema.js'

/** What is allowed in a section and still not what anybody can have wanted; sentences. */
export function startWarnings(section: WrittenSection): readonly string[] {
  return [...writeWarnings(section), ...plainHttpWarnings(section)]
}

/** Writing takes both keys; whoever set one wanted it. */
function writeWarnings({ allow_writes: allows, read_only: isReadOnly }: WrittenSection): readonly string[] {
  if (allows && isReadOnly) {
    return ['allow_writes is true, but read_only is not false: nothing can be written. Set read_only to false, too.']
  }
  if (!allows && !isReadOnly) {
    return ['read_only is false, but allow_writes is not true: nothing can be written. Set allow_writes to true, too.']
  }
  return []
}

function plainHttpWarnings({ auth_pairs: pairs }: WrittenSection): readonly string[] {
  return pairs
    .filter(({ site }) => !isPrivateWay(site))
    .map(({ site }) => `${site} does not begin with https://, so its keys are not sent: it is read as nobody.`)
}
