import type { SocialSchema } from './schema.js'

/** A row of this table as it is read. */
export type Row<Table extends keyof SocialSchema> = {
  readonly [Column in keyof SocialSchema[Table]]: Selected<SocialSchema[Table][Column]>
}

type Selected<Value> = Value extends { readonly __select__: infer Read } ? Read : Value
