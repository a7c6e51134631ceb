/** An IANA name, like Europe/Paris or UTC: no offset and no POSIX rule, though some systems take these for zones. */
export function isTimeZoneName(name: string): boolean {
  // The pattern keeps offsets out; SystemV names are Intl's own.
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name) || /^systemv\//i.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
