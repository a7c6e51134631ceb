export {
  type CallIdentity,
  CallReplies,
  type CallRepliesSchema,
  type CallRepliesTable,
  callKey,
  createCallReplies,
  pruneCallReplies,
} from './call-replies.js'
export { type Columns, columnsFor, type Flag, flag } from './columns.js'
export type { Migration } from './migrate.js'
export { openStore, type StoreOptions } from './open-store.js'
export { storable } from './storable.js'
export type { DialectName, Store, TransactionOptions } from './store.js'
export { StoreError, type StoreErrorCode } from './store-error.js'
