/** Lets everything go on that waits for no time: the database answers on threads of its own. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn += 1) {
    if (turn > 100_000) throw new Error('it never came to that')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A promise that a test settles. */
export function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}
