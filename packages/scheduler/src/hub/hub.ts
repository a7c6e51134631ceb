import type { CallOptions, ToolResult, Worker } from '@callboard/worker'

/** For which run a token is. */
export interface RunIdentity {
  /** Name of the agent as which the run calls back. */
  readonly agent: string
  readonly group: string
  readonly runId: string
  readonly attempt: number
  readonly triggerDepth: number
}

export interface HubTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: { readonly [key: string]: unknown }
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly idempotentHint?: boolean }
}

/** The hub as runs need it. Everything rejects with a CallFailure when it is away. */
export interface Hub {
  /** A token with which the run's agent is itself: its group and depth, never an operator. */
  mintToken(run: RunIdentity, ttlMs: number): Promise<string>
  /** A hub that was started anew knows none of the tokens that runs hold: this makes one good again. */
  restoreToken(token: string, run: RunIdentity, ttlMs: number): Promise<void>
  revokeToken(token: string): Promise<void>
  /** Whatever token a process that is gone has minted for this attempt. */
  revokeRun(runId: string, attempt: number): Promise<void>
  call(
    token: string,
    tool: string,
    args: { readonly [key: string]: unknown },
    options?: CallOptions,
  ): Promise<ToolResult>
  /** What the token's agent may call. */
  tools(token: string): Promise<readonly HubTool[]>
}

export function hubOf(
  worker: Pick<Worker, 'mintToken' | 'revokeToken' | 'revokeRunTokens' | 'callAs' | 'toolsAs'>,
): Hub {
  return {
    async mintToken(run, ttlMs) {
      const { token } = await worker.mintToken(grantOf(run, ttlMs))
      return String(token)
    },
    async restoreToken(token, run, ttlMs) {
      await worker.mintToken({ ...grantOf(run, ttlMs), token })
    },
    revokeToken: (token) => worker.revokeToken(token),
    revokeRun: (runId, attempt) => worker.revokeRunTokens(runId, attempt),
    call: (token, tool, args, options) => worker.callAs(token, tool, args, options),
    tools: async (token) => (await worker.toolsAs(token)) as readonly HubTool[],
  }
}

function grantOf({ agent, group, runId, attempt, triggerDepth }: RunIdentity, ttlMs: number) {
  return { agent, group, ttlMs, run: { id: runId, attempt, triggerDepth } }
}
