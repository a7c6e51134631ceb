import { vi } from 'vitest'

/** A bound for what never comes; a second, which is what Vitest gives, is less than a busy machine may need for one command. */
const timeoutMs = 30_000

const { waitFor } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: timeoutMs, ...options })
