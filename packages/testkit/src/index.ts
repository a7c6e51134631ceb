export { type CheckOptions, checkHistory, HistoryChecker } from './check-history.js'
export { type FaultProfile, makeProfile, type Trouble, troubles } from './fault-profile.js'
export {
  type Content,
  describe as describeRecord,
  History,
  type HistoryEvent,
  type HistoryRecord,
  Violation,
} from './history.js'
export { quiet, traffic } from './http-traffic.js'
export { type Cut, Dealer, type HubEnd, Link, type LinkFaults, perfectLink, type WorkerEnd } from './link.js'
export { type Canary, type Plan, quickPlan, type Step } from './plan.js'
export { Random } from './random.js'
export { RawAgent, type RawAgentOptions, type RawAnswer, type RawMessage } from './raw-agent.js'
export type { ServiceSpec, ToolSpec } from './services.js'
export type { BrokerLike } from './simulated-hub.js'
export type { SessionLike } from './simulated-worker.js'
export { type SimulationOptions, type SimulationReport, simulate } from './simulation.js'
export { type Alarm, VirtualClock } from './virtual-clock.js'
