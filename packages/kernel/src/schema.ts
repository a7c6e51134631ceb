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
  sessions: {
    id: string
    owner: string
    name: string
    vibe: string | null
    shared: Flag
    /** The agent whose session this is at present. */
    held_by: string | null
    state: string
    anchor_beat: number
    anchor_time: Optional<number>
    bpm: number
    loop_start: Optional<number>
    loop_end: Optional<number>
    created_at: number
    updated_at: number
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
    agent: string
    epoch: number
    code: string
    status: string
    result: Optional<string>
    error: Optional<string>
    stdout_bytes: Optional<number>
    stderr_bytes: Optional<number>
    started_at: number
    ended_at: Optional<number>
  }
  kernels: {
    owner: string
    epoch: number
    agent: string
    pid: number
    started_at: number
    ended_at: Optional<number>
    exit_code: Optional<number>
    signal: Optional<string>
    reason: Optional<string>
  }
}

export const migrations: readonly Migration[] = [
  {
    name: '001_sessions_history_runs',
    async up(db, dialect) {
      const column = columnsFor(dialect)
      await db.schema
        .createTable('sessions')
        .addColumn('id', column.text, (id) => id.primaryKey())
        .addColumn('owner', column.text, (owner) => owner.notNull())
        .addColumn('name', column.text, (name) => name.notNull())
        .addColumn('vibe', column.text)
        .addColumn('shared', column.flag, (shared) => shared.notNull())
        .addColumn('held_by', column.text)
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
      await db.schema.createIndex('sessions_holder').on('sessions').column('held_by').execute()
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
        .addColumn('agent', column.text, (agent) => agent.notNull())
        .addColumn('epoch', column.integer, (epoch) => epoch.notNull())
        .addColumn('code', column.text, (code) => code.notNull())
        .addColumn('status', column.text, (status) => status.notNull())
        .addColumn('result', column.text)
        .addColumn('error', column.text)
        .addColumn('stdout_bytes', column.integer)
        .addColumn('stderr_bytes', column.integer)
        .addColumn('started_at', column.milliseconds, (time) => time.notNull())
        .addColumn('ended_at', column.milliseconds)
        .addPrimaryKeyConstraint('runs_key', ['owner', 'run_id'])
        .execute()
      await db.schema
        .createTable('kernels')
        .addColumn('owner', column.text, (owner) => owner.notNull())
        .addColumn('epoch', column.integer, (epoch) => epoch.notNull())
        .addColumn('agent', column.text, (agent) => agent.notNull())
        .addColumn('pid', column.integer, (pid) => pid.notNull())
        .addColumn('started_at', column.milliseconds, (time) => time.notNull())
        .addColumn('ended_at', column.milliseconds)
        .addColumn('exit_code', column.integer)
        .addColumn('signal', column.text)
        .addColumn('reason', column.text)
        .addPrimaryKeyConstraint('kernels_key', ['owner', 'epoch'])
        .execute()
      await db.schema.createIndex('kernels_agent').on('kernels').columns(['owner', 'agent']).execute()
    },
  },
]
