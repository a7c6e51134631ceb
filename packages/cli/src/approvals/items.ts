/** Of what list_pending_approvals answers, what is shown. Times are ISO-8601. */
export interface PendingItem {
  readonly id: number
  readonly action_type: string
  readonly target_author: string | null
  readonly generated_content: string
  readonly created_at: string
  readonly network: string
  readonly rev: number
  readonly content_hash: string
  readonly expires_at: string | null
  readonly risks: readonly string[]
  readonly owner: string
}

/** What get_item answers. */
export interface Item {
  readonly id: number
  readonly status: string
  readonly rev: number
  readonly content_hash: string
  readonly network: string
  readonly account: string
  /** Where its network knows several kinds. */
  readonly visibility?: string | null
  readonly action_type: string
  readonly parts: readonly string[]
  readonly part_lengths: readonly { readonly count: number; readonly limit: number; readonly unit: string }[]
  readonly media: readonly Medium[]
  readonly reply_to: { readonly url: string; readonly author: string; readonly text: string } | null
  readonly topic: string | null
  readonly archetype: string | null
  readonly score: number | null
  readonly risks: readonly string[]
  readonly origin: string
  readonly owner: string
  readonly generated_by: string | null
  readonly scheduled_for: string | null
  readonly expires_at: string | null
  readonly cost_estimate: number | null
  readonly created_at: string
  readonly updated_at: string
  readonly reviewed_by: string | null
  readonly reviewed_at: string | null
  readonly reason: string | null
  readonly revisions: readonly {
    readonly rev: number
    readonly parts: readonly string[]
    readonly content_hash: string
    readonly principal: string
    readonly at: string
  }[]
  readonly outbox: ItemOutbox | null
}

interface Medium {
  /** From 0. */
  readonly part: number
  readonly mime: string
  readonly bytes: number
  readonly alt: string
  readonly sha256: string
}

interface ItemOutbox {
  readonly status: string
  readonly due_at: string
  readonly attempts: number
  readonly next_try_at: string | null
  readonly last_error: string | null
  readonly parts: readonly { readonly position: number; readonly status: string; readonly url: string | null }[]
}

/** Of what list_outbox answers, what is shown. */
export interface OutboxRow {
  readonly id: number
  readonly item_id: number
  readonly network: string
  readonly status: string
  readonly due_at: string
  readonly attempts: number
  readonly next_try_at: string | null
  readonly last_error: string | null
  readonly verified_at: string | null
  readonly parts: readonly { readonly status: string; readonly url: string | null }[]
}

/** What was shown of an item, by which it is approved or edited. */
export type Shown = Pick<Item, 'id' | 'rev' | 'content_hash'>
