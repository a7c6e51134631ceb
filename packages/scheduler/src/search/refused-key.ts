export function refusedKey(status: number, variable: string): string | undefined {
  return status === 401 || status === 403 ? `it refuses the key of ${variable}` : undefined
}
