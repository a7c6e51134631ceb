import { failover } from './failover.js'
import { hubRestart } from './hub-restart.js'
import { overload } from './overload.js'
import { pause } from './pause.js'
import { rolling } from './rolling.js'
import type { Scenario } from './scenario.js'
import { soak } from './soak.js'

export const scenarios: readonly Scenario[] = [failover, rolling, pause, overload, hubRestart, soak]
