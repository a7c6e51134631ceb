/** The JSON-RPC error that the agent would get: an unknown tool, a missing resource, a refused prompt. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}
