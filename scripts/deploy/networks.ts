import { execFileSync } from 'node:child_process'

/**
 * Compose's networks without a container engine: a switch in a network namespace of its own, with one bridge for each network,
 * and a namespace for each service, joined by pairs of virtual interfaces. With the namespaces all of it is gone.
 */
export class Networks implements Disposable {
  readonly #prefix = `cbd${process.pid}`
  readonly #networks: readonly string[]
  readonly #namespaces: string[] = []
  /** Service → network → address. */
  readonly #addresses = new Map<string, ReadonlyMap<string, string>>()

  constructor(networks: readonly string[]) {
    this.#networks = networks
    this.#add(this.outside)
    for (const [index] of networks.entries()) {
      this.#in(this.outside, 'link', 'add', `br${index}`, 'type', 'bridge')
      this.#in(this.outside, 'address', 'add', `${gateway(index)}/24`, 'dev', `br${index}`)
      this.#in(this.outside, 'link', 'set', `br${index}`, 'up')
    }
  }

  /** The namespace that stands for the machine: it reaches the services as published ports do. */
  get outside(): string {
    return `${this.#prefix}-0`
  }

  /** A namespace for a service, in these networks. */
  join(service: string, networks: readonly string[]): string {
    const number = this.#addresses.size + 1
    const namespace = `${this.#prefix}-${number}`
    this.#add(namespace)
    const addresses = new Map<string, string>()
    for (const network of networks) {
      const index = this.#networks.indexOf(network)
      const address = `10.213.${index}.${number + 1}`
      const port = `p${number}n${index}`
      this.#in(this.outside, 'link', 'add', port, 'type', 'veth', 'peer', 'name', `eth${index}`, 'netns', namespace)
      this.#in(this.outside, 'link', 'set', port, 'master', `br${index}`, 'up')
      this.#in(namespace, 'address', 'add', `${address}/24`, 'dev', `eth${index}`)
      this.#in(namespace, 'link', 'set', `eth${index}`, 'up')
      addresses.set(network, address)
    }
    this.#addresses.set(service, addresses)
    return namespace
  }

  addressOf(service: string, network: string): string {
    return this.#addresses.get(service)!.get(network)!
  }

  /** `/etc/hosts` of a service: itself, and whom it shares a network with. */
  hostsOf(service: string): string {
    const own = this.#addresses.get(service) ?? new Map<string, string>()
    const lines = ['127.0.0.1 localhost']
    for (const [other, addresses] of this.#addresses) {
      const shared = [...own.keys()].find((network) => addresses.has(network))
      if (shared !== undefined) lines.push(`${addresses.get(shared)} ${other}`)
    }
    return `${lines.join('\n')}\n`
  }

  [Symbol.dispose](): void {
    for (const namespace of this.#namespaces.splice(0)) execFileSync('ip', ['netns', 'delete', namespace])
  }

  #add(namespace: string): void {
    execFileSync('ip', ['netns', 'add', namespace])
    this.#namespaces.push(namespace)
    this.#in(namespace, 'link', 'set', 'lo', 'up')
  }

  #in(namespace: string, ...words: readonly string[]): void {
    execFileSync('ip', ['-n', namespace, ...words])
  }
}

const gateway = (index: number): string => `10.213.${index}.1`
