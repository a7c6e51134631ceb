import { failover } from './failover.js'
import { pause } from './pause.js'
import { rolling } from './rolling.js'
import type { Scenario } from './scenario.js'

export const scenarios: readonly Scenario[] = [failover, rolling, pause]
