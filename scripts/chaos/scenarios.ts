import { failover } from './failover.js'
import type { Scenario } from './scenario.js'

export const scenarios: readonly Scenario[] = [failover]
