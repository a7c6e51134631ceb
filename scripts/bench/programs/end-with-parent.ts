/** For programs on stdio: the SDK goes on when its client is gone. */
export function endWithStdin(): void {
  process.stdin.once('end', () => process.exit()).once('close', () => process.exit())
}

/** For programs that were forked. */
export function endWithParent(): void {
  process.on('SIGINT', () => undefined)
  process.on('disconnect', () => process.exit())
}
