/** What a refused handshake means for whoever runs the worker, and what helps. */
export function handshakeProblem(
  kind: 'auth' | 'protocol' | 'other',
  code: string | undefined,
  isKeyed: boolean,
): string {
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
    ? 'the hub ends the connection in the handshake: is CALLBOARD_HUB_KEY its key, as "callboard keys hub" prints it there?'
    : 'what listens there ends the connection in the handshake: is it a hub?'
}
