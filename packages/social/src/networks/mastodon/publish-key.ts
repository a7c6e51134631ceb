/** 128 bits in hexadecimal: no two posts have the same. */
export function publishKey(random: () => number): string {
  return Array.from({ length: 16 }, () =>
    Math.floor(random() * 256)
      .toString(16)
      .padStart(2, '0'),
  ).join('')
}
