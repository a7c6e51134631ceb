export { nameProblem } from './agent-names.js'
export type { AuditConfig } from './audit/audit-config.js'
export { auditFiles, headOf, openForReading } from './audit/audit-files.js'
export { eachLine, type Verification, verifyAudit } from './audit/verify.js'
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
export { type HubEnd, type HubOptions, type RunningHub, startHub, steadyNow } from './hub.js'
export { createHubLog, type Logger } from './hub-log.js'
export { issuerProblem } from './issuer-check.js'
export {
  type AllowList,
  type AllowListLine,
  type AuthorizedWorker,
  formatWorker,
  readResourcePatterns,
  readServices,
  readTime,
  readToolPatterns,
  rightsProblem,
  workerNameProblem,
  workersOf,
} from './keys/allow-list.js'
export { AllowListError, allowListIn, changeAllowList, readAllowList } from './keys/allow-list-file.js'
export { isOver } from './keys/authorized-workers.js'
export {
  formerHubKeyFileIn,
  nextHubKeyFileIn,
  preparedHubKey,
  prepareHubKey,
  switchHubKey,
} from './keys/hub-key-change.js'
export {
  hubKeyFileIn,
  KeyFileError,
  loadHubKey,
  makeKeyFile,
  readKeyFile,
  readPublicKey,
  workerKeyFileIn,
} from './keys/key-files.js'
export { isKey } from './keys/public-key.js'
export type { KeyedListening } from './keys/worker-keys.js'
export type { HubStatistics, ProcessFigures } from './metrics/hub-statistics.js'
export { renderMetrics } from './metrics/render-metrics.js'
export { type Pin, PinFileError, pinFileIn, readPins } from './pinning/pin-file.js'
export type { ShownHeld } from './pinning/pinning-desk.js'
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
export { reservedServices } from './reserved-services.js'
export { type RuntimePaths, runtimePaths, socketPathBytesMax } from './runtime-directory.js'
export { loadLocalToken, secretFiles } from './secrets.js'
export type { SettingsInForce } from './settings-in-force.js'
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
