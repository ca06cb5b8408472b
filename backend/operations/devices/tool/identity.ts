import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Folder in which Linux lists each serial device under a name that does not depend on the port. */
const BY_ID = '/dev/serial/by-id'

/**
 * Stable names of a serial path. `own`: names of the device at this path; `stable`: whether the path itself is one;
 * `others`: names of other connected devices.
 */
export interface Identity {
  readonly own: readonly string[]
  readonly others: readonly string[]
  readonly stable: boolean
}

export async function identityOf(path: string, folder = BY_ID): Promise<Identity | null> {
  if (process.platform !== 'linux') return null
  const names = await readdir(folder).catch(() => [])
  const target = await realpath(path).catch(() => null)
  const found = await Promise.all(
    names.map(async (name) => ({ name, leadsTo: await realpath(join(folder, name)).catch(() => null) })),
  )
  const own = found.filter(({ leadsTo }) => target !== null && leadsTo === target).map(({ name }) => name)
  return {
    own,
    others: names.filter((name) => !own.includes(name)),
    stable: dirname(path) === folder && own.includes(basename(path)),
  }
}
