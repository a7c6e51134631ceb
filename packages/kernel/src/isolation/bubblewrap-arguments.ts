import { sandboxDirectoryBytesMax } from './limits.js'

/** Where everything is in a sandbox. All paths are absolute, exist, and have no symbolic links in them. */
export interface Layout {
  /** Replaced by an empty, writable, bounded place of the kernel's own: home, temporary files. */
  readonly emptied: readonly string[]
  /** Of the emptied ones' descendants: directories that programs expect to be there. */
  readonly made: readonly string[]
  /** Shown again, read-only, where an emptied directory hides it: what is at `from`, seen at `at`. */
  readonly readable: readonly { readonly from: string; readonly at: string }[]
  readonly writable: readonly string[]
  /** Replaced by nothing, whatever else is shown: the secrets of the operator. */
  readonly maskedDirectories: readonly string[]
  readonly maskedFiles: readonly string[]
  /** The kernel's own, inside a masked directory or not. */
  readonly owned: readonly string[]
  readonly workingDirectory: string
  readonly network: boolean
  /** For root, so that it is somebody else inside. */
  readonly asNobody: boolean
  /** Whether programs inside are kept from making user namespaces; old versions of bubblewrap cannot. */
  readonly withoutNamespaces: boolean
  /** Where bubblewrap writes the process id of the sandbox's init. */
  readonly infoDescriptor: number
}

/** The user and group that have nothing on every system. */
const nobody = '65534'

/** For `bwrap`, up to and without the program. It mounts in this order, and a later mount hides an earlier one. */
export function bubblewrapArguments(layout: Layout): string[] {
  return [
    ...namespaces(layout),
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev', '--size', String(sandboxDirectoryBytesMax), '--tmpfs', '/dev/shm'],
    ...['--remount-ro', '/dev', '--proc', '/proc'],
    ...layout.emptied.flatMap((path) => ['--size', String(sandboxDirectoryBytesMax), '--tmpfs', path]),
    ...layout.made.flatMap((path) => ['--dir', path]),
    ...layout.readable.flatMap(({ from, at }) => ['--ro-bind', from, at]),
    ...layout.writable.flatMap((path) => ['--bind', path, path]),
    ...layout.maskedDirectories.flatMap((path) => ['--tmpfs', path]),
    ...layout.maskedFiles.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...layout.owned.flatMap((path) => ['--bind', path, path]),
    // Last: the places of the mounts above had to be made in them.
    ...layout.maskedDirectories.flatMap((path) => ['--remount-ro', path]),
    ...['--chdir', layout.workingDirectory, '--info-fd', String(layout.infoDescriptor), '--'],
  ]
}

function namespaces({ network, asNobody, withoutNamespaces }: Layout): string[] {
  return [
    '--die-with-parent',
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network ? [] : ['--unshare-net']),
    ...(withoutNamespaces ? ['--disable-userns'] : []),
    ...(asNobody ? ['--uid', nobody, '--gid', nobody] : []),
    ...['--cap-drop', 'ALL', '--hostname', 'kernel'],
  ]
}
