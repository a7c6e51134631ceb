export { nameProblem } from './agent-names.js'
export { Broker } from './broker/broker.js'
export type { BrokerEffect, Notice } from './broker/effects.js'
export type { BrokerEvent, CallWish, ConnectionId, PeerId, Ref } from './broker/events.js'
export type { BrokerSnapshot } from './broker/snapshot.js'
export type { BrokerOptions } from './broker/state.js'
export type { BrokerStatistics, ServiceLoad } from './broker/statistics.js'
export {
  ConfigError,
  type ConfigInput,
  dataDirectory,
  type HubConfig,
  type LogLevel,
  parseHubConfig,
  runtimeDirectory,
} from './config.js'
export { agentsWithoutTokens, type ShownAgent, type SupervisedStatus } from './control.js'
export { type HubEnd, type HubOptions, type RunningHub, reservedServices, startHub, steadyNow } from './hub.js'
export { createHubLog, type Logger } from './hub-log.js'
export { issuerProblem } from './issuer-check.js'
export type { HubStatistics, ProcessFigures } from './metrics/hub-statistics.js'
export { renderMetrics } from './metrics/render-metrics.js'
export { type Explanation, explainCall } from './policy/explain-call.js'
export { localOperator, Policy } from './policy/policy.js'
export { PolicyFileError, policyFileOf, readPolicy } from './policy-file.js'
export type {
  AgentCall,
  CallOutcome,
  CatalogueView,
  Connection,
  ConnectionListener,
  HubPort,
  Identity,
  ListScope,
} from './port.js'
export { type RuntimePaths, runtimePaths, socketPathBytesMax } from './runtime-directory.js'
export { loadLocalToken, secretFiles } from './secrets.js'
export { StartError } from './start-error.js'
export {
  changeTokens,
  fileTokensMax,
  newToken,
  readTokens,
  TokenFileError,
  type TokenRecord,
  tokenFileIn,
} from './token-file.js'
export { hasEnded } from './token-table.js'
