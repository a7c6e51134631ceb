import type { ServiceLoad } from '../broker/statistics.js'
import type { SeriesType } from './exposition.js'

/** A family of series of which each service has one value, or one for each value of `label`. */
export type ServiceFamily = { readonly name: string; readonly type: SeriesType; readonly help: string } & (
  | { readonly value: (load: ServiceLoad) => number }
  | { readonly label: 'outcome' | 'reason' | 'state'; readonly values: (load: ServiceLoad) => Readonly<Counts> }
)

type Counts = Partial<Record<string, number>>

export const serviceFamilies: readonly ServiceFamily[] = [
  {
    name: 'workers',
    type: 'gauge',
    help: 'Workers that are signed in, by state.',
    label: 'state',
    values: (load) => load.workers,
  },
  {
    name: 'credits',
    type: 'gauge',
    help: 'Calls that the ready workers take at once.',
    value: (load) => load.credits,
  },
  { name: 'calls_in_flight', type: 'gauge', help: 'Calls at workers.', value: (load) => load.inFlight },
  { name: 'calls_suspended', type: 'gauge', help: 'Calls that wait for a person.', value: (load) => load.suspended },
  { name: 'calls_queued', type: 'gauge', help: 'Calls that wait for a worker.', value: (load) => load.queued },
  {
    name: 'queue_oldest_age_seconds',
    type: 'gauge',
    help: 'Age of the call that waits longest for a worker; 0: none waits.',
    value: (load) => load.oldestQueuedMs / 1000,
  },
  {
    name: 'definitions_held',
    type: 'gauge',
    help: 'Definitions that no operator has accepted.',
    value: (load) => load.definitionsHeld,
  },
  {
    name: 'calls_total',
    type: 'counter',
    help: 'Calls that have ended, by what the caller was told.',
    label: 'outcome',
    values: (load) => load.outcomes,
  },
  {
    name: 'call_retries_total',
    type: 'counter',
    help: 'Calls handed over again, because their worker was lost or had not started them.',
    value: (load) => load.retries,
  },
  {
    name: 'calls_shed_total',
    type: 'counter',
    help: 'Calls refused to keep the queue short, by reason.',
    label: 'reason',
    values: (load) => load.shed,
  },
  {
    name: 'workers_joined_total',
    type: 'counter',
    help: 'Workers that signed in.',
    value: (load) => load.workersJoined,
  },
  {
    name: 'workers_left_total',
    type: 'counter',
    help: 'Workers that left or were lost, by reason.',
    label: 'reason',
    values: (load) => load.workersLeft,
  },
  {
    name: 'worker_ejections_total',
    type: 'counter',
    help: 'Times that a worker got no calls for a while, because it failed too many.',
    value: (load) => load.ejections,
  },
]
