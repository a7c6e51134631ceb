import type { HubConfig } from './config.js'

/** With what a hub was started, as far as whoever asks it may have another environment. */
export interface SettingsInForce {
  readonly pinning: 'on' | 'off'
  /** The directory of the journal. */
  readonly audit: string
  /** The file of the policy in force, whether it is there still or not. */
  readonly policy: string
}

/** Absolute paths, or `off`. */
export function settingsInForce({ pinning, audit }: HubConfig, policyFile: string | undefined): SettingsInForce {
  return { pinning: pinning ?? 'off', audit: audit?.directory ?? 'off', policy: policyFile ?? 'off' }
}
