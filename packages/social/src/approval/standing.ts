import type { SocialConfig } from '../config.js'
import type { Standing } from '../envelope/envelope.js'

/** Whether a person has to approve: in composer mode always. Nothing else decides that. */
export function needsApproval({ mode, approval_mode }: Pick<SocialConfig, 'mode' | 'approval_mode'>): boolean {
  return approval_mode || mode === 'composer'
}

/** What replies tell of it: the effective flag only. */
export function standingOf(config: Pick<SocialConfig, 'mode' | 'approval_mode'>): Standing {
  return { mode: config.mode, approval_mode: needsApproval(config) }
}
