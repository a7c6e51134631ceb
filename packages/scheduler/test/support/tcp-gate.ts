import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Stands between client and server: connections through it can be cut, and refused. */
export class TcpGate implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isOpen = true

  private constructor(target: number) {
    this.#server = createServer((client) => this.#join(client, target))
  }

  static async to(target: number): Promise<TcpGate> {
    const gate = new TcpGate(target)
    gate.#server.listen(0, '127.0.0.1')
    await once(gate.#server, 'listening')
    return gate
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get connections(): number {
    return this.#sockets.size / 2
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  shut(): void {
    this.#isOpen = false
    this.cut()
  }

  open(): void {
    this.#isOpen = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
  }

  #join(client: Socket, target: number): void {
    if (!this.#isOpen) {
      client.destroy()
      return
    }
    const server = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from)
      from.pipe(to)
      from.on('error', () => from.destroy())
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
    }
  }
}
