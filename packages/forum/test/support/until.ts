/** Lets everything go on that waits for no time: databases and sockets answer when they like. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn += 1) {
    if (turn > 100_000) throw new Error('it never came to that')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
