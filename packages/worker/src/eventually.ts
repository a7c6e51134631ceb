/** A value, or the promise of it: most handlers and schemas have nothing to wait for, and waiting costs more than they do. */
export type Eventually<Value> = Value | Promise<Value>

/** What `await` would wait for. */
export function isPending<Value>(value: Eventually<Value>): value is Promise<Value> {
  const is = typeof value
  if ((is !== 'object' && is !== 'function') || value === null) return false
  return typeof (value as { readonly then?: unknown }).then === 'function'
}

/** What `next` makes of the value, at once if it is there. What `next` throws is thrown or rejected accordingly. */
export function after<Value, Next>(
  value: Eventually<Value>,
  next: (value: Value) => Eventually<Next>,
): Eventually<Next> {
  return isPending(value) ? Promise.resolve(value).then(next) : next(value)
}
