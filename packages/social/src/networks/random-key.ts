/** 128 bits of chance as 32 hexadecimal digits. `random` gives 0 to 1, 1 excluded. */
export function randomKey(random: () => number): string {
  const words = Array.from({ length: 4 }, () => Math.floor(random() * 2 ** 32))
  return words.map((word) => word.toString(16).padStart(8, '0')).join('')
}
