export { RpcError } from '../rpc-error.js'
export type { NestedCall, NestedCallStub } from './nested-calls.js'
export type { LogEntry, ProgressUpdate } from './test-hub.js'
export {
  type CompletionRequest,
  connectForTest,
  type TestCallOptions,
  type TestLink,
  type TestLinkOptions,
  type TestToolResult,
  textOf,
} from './test-link.js'
export { VirtualClock } from './virtual-clock.js'
