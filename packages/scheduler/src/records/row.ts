import type { SchedulerSchema } from './schema.js'

/** A row of this table as it is read. */
export type Row<Table extends keyof SchedulerSchema> = {
  readonly [Column in keyof SchedulerSchema[Table]]: Selected<SchedulerSchema[Table][Column]>
}

type Selected<Value> = Value extends { readonly __select__: infer Read } ? Read : Value
