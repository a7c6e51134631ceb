/**
 * An error of MCP itself: code, message and data reach the agent's program as they are, and its model not at all. For what
 * has a code there (`-32042`: a legacy client must open a URL first); what an agent should read is a ToolError.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    if (!Number.isSafeInteger(code)) throw new TypeError(`RpcError: a code is an integer, not ${code}`)
    this.code = code
    if (data !== undefined) this.data = data
  }
}
