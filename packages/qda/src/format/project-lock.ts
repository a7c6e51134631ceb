import type { Clock } from '@callboard/worker/clock'

export class ProjectLock {
  isOurs = false
  constructor(_path: string, _clock: Clock) {}
  async acquire(): Promise<boolean> {
    this.isOurs = true
    return true
  }
  async release(): Promise<void> {
    this.isOurs = false
  }
}
