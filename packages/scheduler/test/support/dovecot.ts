import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ImapFlow } from 'imapflow'
import { TcpGate } from './tcp-gate.js'
import type { TestImapServer } from './test-imap-server.js'

/** Why there is no Dovecot here; undefined: there is one. */
export const dovecotMissing = ['/usr/sbin/dovecot', '/usr/lib/dovecot/imap', '/usr/lib/dovecot/lmtp'].every(existsSync)
  ? undefined
  : 'needs dovecot-imapd and dovecot-lmtpd'

export interface Dovecot extends TestImapServer {
  /** Where mail is delivered over LMTP. */
  readonly lmtpPort: number
}

/** A Dovecot with a configuration, a directory and ports of its own. */
export async function startDovecot(): Promise<Dovecot> {
  const directory = mkdtempSync(join(tmpdir(), 'callboard-dovecot-'))
  // The server's own users have to reach their files in it.
  chmodSync(directory, 0o755)
  const ports = { imap: await freePort(), lmtp: await freePort() }
  const configuration = join(directory, 'dovecot.conf')
  writeFileSync(configuration, configurationOf(directory, ports))
  const child = spawn('/usr/sbin/dovecot', ['-F', '-c', configuration], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await untilUp(ports.imap, () => child.exitCode !== null, join(directory, 'log'))
  } catch (error) {
    await stop()
    throw error
  }
  const gate = await TcpGate.to(ports.imap)
  return {
    url: `imap://callboard:secret@127.0.0.1:${gate.port}`,
    gate,
    lmtpPort: ports.lmtp,
    deliver: (raw, receivedAt) => append(ports.imap, raw, receivedAt),
    async renumber() {
      const mail = join(directory, 'mail')
      const before = uidValidityOf(mail)
      gate.cut()
      // Without its list of numbers the server has to make a new one, which it numbers by the second.
      for (let tries = 0; uidValidityOf(mail) === before; tries += 1) {
        if (tries === 50) throw new Error('Dovecot has kept its UIDVALIDITY')
        execFileSync('sh', ['-c', 'rm -f "$1"/dovecot*', 'sh', mail])
        await append(
          ports.imap,
          'Subject: makes the list anew\r\nMessage-ID: <anew@example.org>\r\n\r\n\r\n',
          undefined,
        )
        if (uidValidityOf(mail) === before) await setTimeout(100)
      }
    },
    async [Symbol.asyncDispose]() {
      await gate[Symbol.asyncDispose]()
      await stop()
    },
  }
}

function uidValidityOf(mail: string): string | undefined {
  return /^3 V(\d+)/.exec(readFileSync(join(mail, 'dovecot-uidlist'), 'utf8'))?.[1]
}

/** As root Dovecot refuses to keep root's mail; as anybody else it can't change users. */
function configurationOf(directory: string, ports: { readonly imap: number; readonly lmtp: number }): string {
  const me = userInfo()
  const isRoot = me.uid === 0
  const [user, uid, gid] = isRoot
    ? ['nobody', numericId('-u', 'nobody'), numericId('-g', 'nobody')]
    : [me.username, me.uid, me.gid]
  for (const name of ['mail', 'home']) {
    mkdirSync(join(directory, name), { mode: 0o700 })
    chownSync(join(directory, name), uid, gid)
  }
  return `
base_dir = ${directory}/run
state_dir = ${directory}/state
log_path = ${directory}/log
instance_name = callboard-test
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
default_internal_user = ${isRoot ? 'dovecot' : user}
default_login_user = ${isRoot ? 'dovenull' : user}
default_internal_group = ${isRoot ? 'dovecot' : execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim()}
mail_location = maildir:${directory}/mail
mail_fsync = never
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${directory}/home allow_all_users=yes
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = 0
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${ports.lmtp}
  }
}
`
}

function numericId(flag: '-u' | '-g', user: string): number {
  return Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
}

async function append(port: number, raw: string, receivedAt: Date | undefined): Promise<void> {
  const client = clientOf(port)
  await client.connect()
  await client.append('INBOX', Buffer.from(raw), [], receivedAt)
  await client.logout()
}

function clientOf(port: number): ImapFlow {
  const auth = { user: 'callboard', pass: 'secret' }
  const client = new ImapFlow({ host: '127.0.0.1', port, secure: false, doSTARTTLS: false, auth, logger: false })
  client.on('error', () => undefined)
  return client
}

/** Tries to log in, as it needs all of the server's parts. */
async function untilUp(port: number, hasExited: () => boolean, log: string): Promise<void> {
  for (;;) {
    const client = clientOf(port)
    try {
      await client.connect()
      await client.logout()
      return
    } catch (error) {
      if (hasExited()) throw new Error(`Dovecot did not start: ${existsSync(log) ? readFileSync(log, 'utf8') : error}`)
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  return port
}
