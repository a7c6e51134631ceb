/** The process did not get as far as running cells. `message` says what a person can do about it. */
export class KernelStartError extends Error {
  override readonly name = 'KernelStartError'
}
