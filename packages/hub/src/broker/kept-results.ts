import { deadlineMsDefault, parseKeptUri } from '@callboard/protocol'
import type { Catalogue } from './catalogue.js'
import type { Definition } from './definition.js'
import type { Peers } from './peers.js'
import type { Viewer } from './viewer-lists.js'

/**
 * A result that one instance keeps because it did not fit into a message. Nobody defined it and no list has it; undefined
 * when that instance is gone or going, or its service does not exist for this viewer. Whose it is, the instance knows.
 * [CB-101] [CB-102]
 */
export function resolveKept(
  uri: string,
  viewer: Viewer,
  { catalogue, peers }: { readonly catalogue: Catalogue; readonly peers: Peers },
): Definition | undefined {
  const address = parseKeptUri(uri)
  if (address === undefined || !catalogue.shows(address.service, viewer)) return undefined
  const { service, keeper } = address
  if (peers.keeper(service, keeper) === undefined) return undefined
  return {
    kind: 'resource',
    key: uri,
    workerKey: uri,
    service,
    keeper,
    viewName: uri,
    listed: {},
    timeoutMs: deadlineMsDefault,
    retriable: true,
    hash: '',
    characters: 0,
    value: {},
  }
}
