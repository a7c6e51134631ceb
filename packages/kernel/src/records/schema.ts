import { columnsFor, type Flag, type Migration } from '@callboard/store'

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

// Types, not interfaces: Kysely asks for an index signature.
export type KernelSchema = {
  /** Processes of this worker that share the store. */
  instances: {
    id: string
    pid: number
    pid_started: Optional<string>
    /** UTC ms of the last sign of life. */
    seen_at: number
  }
  sessions: {
    id: string
    owner: string
    name: string
    vibe: string | null
    shared: Flag
    /** Key of the kernel whose session this is at present, in a living instance; see `Agent`. */
    held_by: string | null
    /** The instance of this worker that holds it; null exactly if `held_by` is. */
    held_instance: Optional<string>
    /** Key of the last holder, who gets it back first. */
    last_holder: Optional<string>
    state: string
    anchor_beat: number
    /** UTC ms; null while not playing. */
    anchor_time: Optional<number>
    bpm: number
    loop_start: Optional<number>
    loop_end: Optional<number>
    created_at: number
    updated_at: number
  }
  markers: {
    id: Assigned
    session_id: string
    name: string
    beat: number
    /** JSON, or null. */
    metadata: Optional<string>
    created_at: number
    updated_at: number
  }
  rules: {
    /** uuid */
    id: string
    session_id: string
    name: string
    trigger: string
    action: string
    /** Text of a callback, for display. */
    source: Optional<string>
    /** 0 critical … 4 idle. */
    priority: number
    enabled: Flag
    status: string
    max_fires: Optional<number>
    cooldown_s: number
    lead_s: number
    max_late_s: Optional<number>
    limit_s: number
    /** JSON object: what an event must have. */
    event_filter: Optional<string>
    fired_count: number
    suppressed_count: number
    missed_count: number
    error_count: number
    last_fired_at: Optional<number>
    last_error: Optional<string>
    /** UTC ms of the next firing, for `after` and `every`. */
    due_at: Optional<number>
    created_at: number
  }
  rule_log: {
    id: Assigned
    rule_id: string
    target_beat: Optional<number>
    fired_at: number
    late_s: number
    outcome: string
    detail: Optional<string>
  }
  history: {
    id: Assigned
    session_id: string
    action: string
    params: string
    result: Optional<string>
    success: Flag
    created_at: number
  }
  runs: {
    owner: string
    run_id: number
    /** Key of the kernel. */
    kernel: string
    instance: string
    /** Null until it has started. */
    epoch: Optional<number>
    code: string
    /** SHA-256 of the whole code, hex. */
    code_hash: string
    status: string
    /** SHA-256, hex. */
    idempotency_key: Optional<string>
    result: Optional<string>
    error: Optional<string>
    /** JSON. */
    names: Optional<string>
    /** JSON: bytes left out per field. */
    truncated: Optional<string>
    /** What a reply shows of the stream; the whole text is spooled when it is longer. */
    stdout: Optional<string>
    stderr: Optional<string>
    stdout_bytes: Optional<number>
    stderr_bytes: Optional<number>
    /** Folder of the whole output and of the images, if there is one. */
    spool: Optional<string>
    created_at: number
    started_at: Optional<number>
    ended_at: Optional<number>
  }
  kernels: {
    owner: string
    epoch: number
    /** Key: of an agent's own kernel or of a named one. */
    kernel: string
    runtime: string
    /** Of this worker: host, pid and start time. */
    instance: string
    pid: number
    /** As the system counts, to tell a pid that was given again. */
    pid_started: Optional<string>
    /** The first run whose effects a replay brings back. */
    journal_from: number
    started_at: number
    ended_at: Optional<number>
    exit_code: Optional<number>
    signal: Optional<string>
    reason: Optional<string>
  }
}

export const migrations: readonly Migration[] = [
  {
    name: '001_kernel',
    async up(db, dialect) {
      const column = columnsFor(dialect)
      await db.schema
        .createTable('instances')
        .addColumn('id', column.text, (id) => id.primaryKey())
        .addColumn('pid', column.integer, (pid) => pid.notNull())
        .addColumn('pid_started', column.text)
        .addColumn('seen_at', column.milliseconds, (time) => time.notNull())
        .execute()
      await db.schema
        .createTable('sessions')
        .addColumn('id', column.text, (id) => id.primaryKey())
        .addColumn('owner', column.text, (owner) => owner.notNull())
        .addColumn('name', column.text, (name) => name.notNull())
        .addColumn('vibe', column.text)
        .addColumn('shared', column.flag, (shared) => shared.notNull())
        .addColumn('held_by', column.text)
        .addColumn('held_instance', column.text)
        .addColumn('last_holder', column.text)
        .addColumn('state', column.text, (state) => state.notNull())
        .addColumn('anchor_beat', column.real, (beat) => beat.notNull())
        .addColumn('anchor_time', column.milliseconds)
        .addColumn('bpm', column.real, (bpm) => bpm.notNull())
        .addColumn('loop_start', column.real)
        .addColumn('loop_end', column.real)
        .addColumn('created_at', column.milliseconds, (time) => time.notNull())
        .addColumn('updated_at', column.milliseconds, (time) => time.notNull())
        .addUniqueConstraint('sessions_name', ['owner', 'name'])
        .execute()
      await db.schema.createIndex('sessions_holder').on('sessions').columns(['owner', 'held_by']).execute()
      await db.schema
        .createTable('markers')
        .$call(column.autoIncrementId())
        .addColumn('session_id', column.text, (id) => id.notNull().references('sessions.id').onDelete('cascade'))
        .addColumn('name', column.text, (name) => name.notNull())
        .addColumn('beat', column.real, (beat) => beat.notNull())
        .addColumn('metadata', column.json)
        .addColumn('created_at', column.milliseconds, (time) => time.notNull())
        .addColumn('updated_at', column.milliseconds, (time) => time.notNull())
        .addUniqueConstraint('markers_name', ['session_id', 'name'])
        .execute()
      await db.schema
        .createTable('rules')
        .addColumn('id', column.text, (id) => id.primaryKey())
        .addColumn('session_id', column.text, (id) => id.notNull().references('sessions.id').onDelete('cascade'))
        .addColumn('name', column.text, (name) => name.notNull())
        .addColumn('trigger', column.text, (trigger) => trigger.notNull())
        .addColumn('action', column.text, (action) => action.notNull())
        .addColumn('source', column.text)
        .addColumn('priority', column.integer, (priority) => priority.notNull())
        .addColumn('enabled', column.flag, (enabled) => enabled.notNull())
        .addColumn('status', column.text, (status) => status.notNull())
        .addColumn('max_fires', column.integer)
        .addColumn('cooldown_s', column.real, (seconds) => seconds.notNull())
        .addColumn('lead_s', column.real, (seconds) => seconds.notNull())
        .addColumn('max_late_s', column.real)
        .addColumn('limit_s', column.real, (seconds) => seconds.notNull())
        .addColumn('event_filter', column.json)
        .addColumn('fired_count', column.integer, (count) => count.notNull())
        .addColumn('suppressed_count', column.integer, (count) => count.notNull())
        .addColumn('missed_count', column.integer, (count) => count.notNull())
        .addColumn('error_count', column.integer, (count) => count.notNull())
        .addColumn('last_fired_at', column.milliseconds)
        .addColumn('last_error', column.text)
        .addColumn('due_at', column.milliseconds)
        .addColumn('created_at', column.milliseconds, (time) => time.notNull())
        .addUniqueConstraint('rules_name', ['session_id', 'name'])
        .execute()
      await db.schema
        .createTable('rule_log')
        .$call(column.autoIncrementId())
        .addColumn('rule_id', column.text, (id) => id.notNull().references('rules.id').onDelete('cascade'))
        .addColumn('target_beat', column.real)
        .addColumn('fired_at', column.milliseconds, (time) => time.notNull())
        .addColumn('late_s', column.real, (seconds) => seconds.notNull())
        .addColumn('outcome', column.text, (outcome) => outcome.notNull())
        .addColumn('detail', column.text)
        .execute()
      await db.schema.createIndex('rule_log_rule').on('rule_log').columns(['rule_id', 'id']).execute()
      await db.schema
        .createTable('history')
        .$call(column.autoIncrementId())
        .addColumn('session_id', column.text, (id) => id.notNull().references('sessions.id').onDelete('cascade'))
        .addColumn('action', column.text, (action) => action.notNull())
        .addColumn('params', column.json, (params) => params.notNull())
        .addColumn('result', column.text)
        .addColumn('success', column.flag, (success) => success.notNull())
        .addColumn('created_at', column.milliseconds, (time) => time.notNull())
        .execute()
      await db.schema.createIndex('history_session').on('history').columns(['session_id', 'id']).execute()
      await db.schema
        .createTable('runs')
        .addColumn('owner', column.text, (owner) => owner.notNull())
        .addColumn('run_id', column.integer, (id) => id.notNull())
        .addColumn('kernel', column.text, (kernel) => kernel.notNull())
        .addColumn('instance', column.text, (instance) => instance.notNull())
        .addColumn('epoch', column.integer)
        .addColumn('code', column.text, (code) => code.notNull())
        .addColumn('code_hash', column.text, (hash) => hash.notNull())
        .addColumn('status', column.text, (status) => status.notNull())
        .addColumn('idempotency_key', column.text)
        .addColumn('result', column.text)
        .addColumn('error', column.text)
        .addColumn('names', column.json)
        .addColumn('truncated', column.json)
        .addColumn('stdout', column.text)
        .addColumn('stderr', column.text)
        .addColumn('stdout_bytes', column.integer)
        .addColumn('stderr_bytes', column.integer)
        .addColumn('spool', column.text)
        .addColumn('created_at', column.milliseconds, (time) => time.notNull())
        .addColumn('started_at', column.milliseconds)
        .addColumn('ended_at', column.milliseconds)
        .addPrimaryKeyConstraint('runs_key', ['owner', 'run_id'])
        // Both databases hold two absent keys for different.
        .addUniqueConstraint('runs_idempotency', ['owner', 'idempotency_key'])
        .execute()
      await db.schema.createIndex('runs_active').on('runs').columns(['instance', 'status']).execute()
      await db.schema
        .createTable('kernels')
        .addColumn('owner', column.text, (owner) => owner.notNull())
        .addColumn('epoch', column.integer, (epoch) => epoch.notNull())
        .addColumn('kernel', column.text, (kernel) => kernel.notNull())
        .addColumn('runtime', column.text, (runtime) => runtime.notNull())
        .addColumn('instance', column.text, (instance) => instance.notNull())
        .addColumn('pid', column.integer, (pid) => pid.notNull())
        .addColumn('pid_started', column.text)
        .addColumn('journal_from', column.integer, (runId) => runId.notNull())
        .addColumn('started_at', column.milliseconds, (time) => time.notNull())
        .addColumn('ended_at', column.milliseconds)
        .addColumn('exit_code', column.integer)
        .addColumn('signal', column.text)
        .addColumn('reason', column.text)
        .addPrimaryKeyConstraint('kernels_key', ['owner', 'epoch'])
        .execute()
      await db.schema.createIndex('kernels_kernel').on('kernels').columns(['owner', 'kernel']).execute()
    },
  },
]
