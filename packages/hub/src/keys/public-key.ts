const alphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#'
const keyLength = 40
const groupLength = 5

/** Whether a text is 32 bytes in Z85, as keys are written (ZeroMQ RFC 32). */
export function isKey(text: string): boolean {
  if (text.length !== keyLength) return false
  for (let start = 0; start < keyLength; start += groupLength) {
    let value = 0
    for (const character of text.slice(start, start + groupLength)) {
      const digit = alphabet.indexOf(character)
      if (digit === -1) return false
      value = value * alphabet.length + digit
    }
    // Five digits can say more than four bytes hold.
    if (value > 0xffff_ffff) return false
  }
  return true
}
