/** What a refused handshake means for whoever runs the worker, and what helps. `hubKeys`: all that were tried. */
export function handshakeProblem(
  kind: 'auth' | 'protocol' | 'other',
  code: string | undefined,
  hubKeys: readonly string[],
): string {
  const isKeyed = hubKeys.length > 0
  if (kind === 'auth') {
    return isKeyed
      ? 'the hub does not admit this worker\'s key: an operator runs "callboard keys authorize", or the key was revoked or has expired'
      : 'the hub does not admit processes of this user'
  }
  if (code === 'ERR_ZMTP_MECHANISM_MISMATCH') {
    return isKeyed
      ? 'this endpoint of the hub takes no keys: name the one that CALLBOARD_LISTEN gives it'
      : 'this endpoint of the hub wants a key: set CALLBOARD_KEY_FILE and CALLBOARD_HUB_KEY'
  }
  // A hub that can't read what its key was to open ends the connection, and says nothing.
  return isKeyed
    ? `the hub ends the connection in the handshake: its key is not ${hubKeys.join(' or ')}; set CALLBOARD_HUB_KEY to what "callboard keys hub" prints there`
    : 'what listens there ends the connection in the handshake: is it a hub?'
}
