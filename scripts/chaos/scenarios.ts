import { failover } from './failover.js'
import { hubRestart } from './hub-restart.js'
import { overload } from './overload.js'
import type { Scenario } from './scenario.js'
import { soak } from './soak.js'

export const scenarios: readonly Scenario[] = [failover, overload, hubRestart, soak]
