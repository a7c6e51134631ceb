import { failover } from './failover.js'
import { hubRestart } from './hub-restart.js'
import { overload } from './overload.js'
import type { Scenario } from './scenario.js'

export const scenarios: readonly Scenario[] = [failover, overload, hubRestart]
