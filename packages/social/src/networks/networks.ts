import { didYouMean } from '@callboard/worker'
import type { NetworkName } from '../config.js'
import { failure } from '../envelope/failure.js'
import type { NetworkAdapter } from './network-adapter.js'

/** The networks that are switched on. */
export class Networks {
  readonly all: readonly [NetworkAdapter, ...NetworkAdapter[]]

  /** The first one is meant where none is named. */
  constructor(all: readonly [NetworkAdapter, ...NetworkAdapter[]]) {
    this.all = all
  }

  get default(): NetworkAdapter {
    return this.all[0]
  }

  /** Throws `network_not_configured`. */
  get(name: NetworkName | undefined): NetworkAdapter {
    if (name === undefined) return this.default
    const found = this.all.find((network) => network.name === name)
    if (found !== undefined) return found
    const names = this.all.map((network) => network.name)
    throw failure(
      'network_not_configured',
      `${name} is not switched on here${didYouMean(name, names)}; there is ${names.join(', ')}. An operator sets social.${name}.enabled.`,
      { details: { network: name, networks: names } },
    )
  }
}
