import type { CallOutcome, TurnListener } from '../port.js'

/** A call that was begun before the SDK has seen its request. */
export interface HandedOver {
  /** Goes on as if it had been begun for this listener: what it has had to say is said again, and its outcome may be there. */
  adopt(turn: TurnListener): Promise<CallOutcome>
}

const byRequest = new WeakMap<Request, HandedOver>()

/** Whoever handles this request finds its call under way. */
export function handOver(request: Request, call: HandedOver): void {
  byRequest.set(request, call)
}

export function handedOver(request: Request | undefined): HandedOver | undefined {
  return request && byRequest.get(request)
}
