import type { RunningSubject, Subject } from '../subjects/subject.js'
import { processTree } from './process-tree.js'

/** A subject that runs and takes part, until something goes wrong with it. */
export class Entrant {
  readonly subject: Subject
  readonly running: RunningSubject
  /** All its processes. */
  readonly pids: readonly number[]
  /** Why it takes no more part. */
  problem: string | undefined

  constructor(subject: Subject, running: RunningSubject) {
    this.subject = subject
    this.running = running
    this.pids = processTree(running.processes)
  }

  fail(problem: string): void {
    this.problem = problem
  }
}
