export { didYouMean, nearestName } from '@callboard/protocol/nearest-name'
export type {
  Annotations,
  CallOptions,
  Completer,
  Completion,
  ConnectionState,
  Content,
  Context,
  ElicitRequest,
  ElicitResult,
  FormResult,
  Icon,
  PromptMessages,
  PromptReturn,
  PromptSpec,
  QuestionOptions,
  ResourceContents,
  ResourceLink,
  ResourcePart,
  ResourceReader,
  ResourceReturn,
  ResourceSpec,
  RunningWorker,
  RunOptions,
  SampleRequest,
  SampleResult,
  SessionTool,
  ToolResult,
  ToolReturn,
  ToolSpec,
  View,
  Worker,
  WorkerOptions,
} from './api.js'
export { defineWorker } from './define-worker.js'
export { type AbortCause, CallAborted, CallFailure, SignInRefused, ToolError, type ToolErrorOptions } from './errors.js'
export { type Result, type ResultParts, result, text } from './results.js'
export { RpcError } from './rpc-error.js'
export { WorkerSession } from './session.js'
export type { CallOutcome, CallStart, Effect, InputQuestion, Outcome, SessionEvent } from './session-messages.js'
export type { SessionOptions } from './session-state.js'
export { sessionTool } from './session-tools.js'
export type { WorkerKeys } from './worker-keys.js'
export { type Backing, packageVersion, WorkerProgram } from './worker-program.js'
