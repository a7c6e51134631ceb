import type { CallRepliesTable, Flag, Store } from '@callboard/store'

/** A column that the database fills: what Kysely calls `Generated`, without a dependency on it. */
interface Assigned {
  readonly __select__: number
  readonly __insert__: number | undefined
  readonly __update__: never
}

/** A column that may be left out of an insert. */
interface Optional<Value> {
  readonly __select__: Value | null
  readonly __insert__: Value | null | undefined
  readonly __update__: Value | null
}

export type TaskStatus = 'active' | 'paused' | 'completed' | 'failed' | 'cancelled'
export type RunState = 'queued' | 'running' | 'waiting' | 'ended'
export type RunOutcome =
  | 'ok'
  | 'empty'
  | 'failed'
  | 'timed_out'
  | 'cancelled'
  | 'missed'
  | 'skipped_overlap'
  | 'abandoned'
  | 'dead'

// Types, not interfaces: Kysely asks for an index signature. Every time is UTC ms.
export type SchedulerSchema = {
  groups: {
    folder: string
    /** Null once removed, so that another group may take it. */
    tag: Optional<string>
    name: string
    is_admin: Flag
    removed_at: Optional<number>
  }
  tasks: {
    id: string
    group_folder: string
    name: Optional<string>
    prompt: string
    schedule_type: 'cron' | 'interval' | 'once'
    schedule_value: string
    timezone: string
    /** From which intervals count. */
    anchor: number
    context_mode: 'group' | 'isolated'
    missed: 'latest' | 'skip' | 'all'
    overlap: 'skip' | 'queue_one' | 'cancel_running' | 'allow'
    jitter_ms: number
    expect: 'any' | 'output' | 'message'
    deliver: 'none' | 'log' | 'digest' | 'notify'
    tool: Optional<string>
    /** JSON object. */
    args: Optional<string>
    /** Trigger depth at which its runs start. */
    depth: number
    status: TaskStatus
    pause_reason: Optional<string>
    /** The slot that comes next; null unless active. */
    next_fire: Optional<number>
    /** When that slot is due: `next_fire` and its jitter. */
    due_at: Optional<number>
    /** Slots in a row that were not `ok`. */
    failures: number
    /** Counts changes of what is to be done, and when. */
    version: number
    created_by: string
    /** Of the creator: its runs act as the creator only in the creator's own group. */
    creator_group: string
    created_at: number
    ended_at: Optional<number>
    cancelled_at: Optional<number>
  }
  runs: {
    id: string
    /** Exactly one of these three is set. */
    task_id: Optional<string>
    trigger_id: Optional<string>
    mail_id: Optional<string>
    group_folder: string
    depth: number
    /** The slot: with the task it identifies the run. */
    scheduled_for: number
    /** When it may start: the slot and its jitter. */
    due_at: number
    state: RunState
    outcome: Optional<RunOutcome>
    /** Continues the group's conversation, so it never runs beside another one that does. */
    serial: Flag
    /** Not beside another run of its task. */
    exclusive: Flag
    /** Number of the last attempt, counted over all redrives. */
    attempts: number
    /** Attempts that were made before the last redrive. */
    attempts_before: number
    /** Grows with each claim, takeover and cancel: a writer that knows an older one has lost the run. */
    fence: number
    retry_at: Optional<number>
    /** How late the slot was seen, beyond the grace; 0 otherwise. */
    late_ms: number
    /** Slots that this row stands for: more than 1 only for the summary of missed ones. */
    slots: number
    error_class: Optional<string>
    error: Optional<string>
    /** Outbox row of the digest that told how it ended; a redrive clears it. */
    digest_id: Optional<string>
    created_at: number
    started_at: Optional<number>
    finished_at: Optional<number>
  }
  attempts: {
    run_id: string
    n: number
    /** Id of the process. */
    owner: string
    fence: number
    lease_until: number
    /** Process group of the runner's child. */
    pgid: Optional<number>
    /** Of that child: machine, boot and start time, to tell it from a later one with its number. */
    process_identity: Optional<string>
    /** SHA-256, hex. */
    token_hash: Optional<string>
    /** Whether another attempt may follow although this one may have had its effect. */
    repeatable: Flag
    /** Null while it runs. */
    outcome: Optional<RunOutcome>
    started_at: number
    finished_at: Optional<number>
    exit_code: Optional<number>
    signal: Optional<string>
    error_class: Optional<string>
    error: Optional<string>
    result: Optional<string>
    stderr_tail: Optional<string>
    session_id: Optional<string>
    tokens_in: Optional<number>
    tokens_out: Optional<number>
    cost_usd: Optional<number>
    messages_sent: number
    tool_calls: number
  }
  processes: {
    id: string
    host: string
    pid: number
    started_at: number
    heartbeat_at: number
  }
  /** Conversation of each group with its runner. */
  sessions: {
    group_folder: string
    session_id: string
    runner: string
    updated_at: number
  }
  turns: {
    id: Assigned
    group_folder: string
    role: 'user' | 'assistant'
    content: string
    at: number
  }
  messages: {
    id: string
    group_folder: string
    run_id: Optional<string>
    priority: 'notify' | 'digest' | 'log'
    text: string
    depth: number
    state: 'held' | 'review' | 'dropped' | 'queued' | 'batched' | 'sent' | 'logged' | 'dead'
    /** Outbox row of the digest that has it. */
    digest_id: Optional<string>
    /** Outbox row of its own mail. */
    outbox_id: Optional<string>
    /** Until when somebody may keep it from leaving; null unless in `review`. */
    review_until: Optional<number>
    created_at: number
  }
  outbox: {
    id: string
    kind: 'notify' | 'digest' | 'trigger' | 'notice'
    /** Of the mail, with its angle brackets; fixed, so that what is sent twice is known for the same. */
    message_id: string
    recipient: string
    subject: string
    text: string
    html: Optional<string>
    /** JSON object. */
    headers: string
    state: 'pending' | 'sending' | 'sent' | 'dead'
    tries: number
    next_try: number
    /** While sending. */
    lease_until: Optional<number>
    /** Grows with each claim. */
    fence: number
    last_error: Optional<string>
    created_at: number
    /** Counts the time after which it is given up; set anew by a requeue. */
    queued_at: number
    sent_at: Optional<number>
  }
  triggers: {
    id: string
    source: string
    target: string
    /** Of the run that it starts. */
    depth: number
    subject: string
    body: string
    outbox_id: Optional<string>
    /** A message that this run reviews. */
    review_of: Optional<string>
    accepted_at: number
    expires_at: number
    consumed_at: Optional<number>
  }
  mail_cursor: {
    mailbox: string
    uidvalidity: number
    last_uid: number
  }
  mails: {
    id: string
    /** Message-ID, or a hash of the mail where it has none. */
    message_id: string
    uid: number
    sender: string
    subject: string
    text: string
    verdict: 'trigger' | 'accepted' | 'rejected' | 'dropped'
    reason: Optional<string>
    group_folder: Optional<string>
    received_at: number
  }
  activity: {
    id: Assigned
    ts: number
    event_type: string
    group_folder: Optional<string>
    task_id: Optional<string>
    run_id: Optional<string>
    summary: string
    /** JSON object. */
    details: string
  }
  /** What post_to_social has proposed. */
  social_items: {
    /** SHA-256 of group, platform, url and text, hex. */
    hash: string
    group_folder: string
    item_id: Optional<string>
    state: string
    /** JSON of the last reply. */
    reply: string
    created_at: number
  }
  call_replies: CallRepliesTable
  searches: {
    /** SHA-256 of provider and query, hex. */
    key: string
    /** JSON. */
    reply: string
    at: number
  }
  /** What counts against a quota, e.g. a group's searches of a day. */
  quotas: {
    name: string
    window: string
    used: number
  }
  kv: {
    key: string
    value: string
  }
}

/** The store itself, or a transaction of it. */
export type Database = Store<SchedulerSchema>['db']
