/** Who a call acts for: stored things belong to the owner, an unnamed kernel to the agent. */
export interface Agent {
  /** `caller.onBehalfOf`, else `caller.principal`. */
  readonly owner: string
  /** `caller.session`. */
  readonly session: string
}
