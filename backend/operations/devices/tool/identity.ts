import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Where Linux keeps a name for each serial device that stays when the cable moves. */
const BY_ID = '/dev/serial/by-id'

/**
 * The stable names of a serial path. `own`: those that lead to it, and `stable` when the path is one of them; `others`:
 * those of devices that are plugged in elsewhere, for a path with nothing behind it.
 */
export interface Identity {
  readonly own: readonly string[]
  readonly others: readonly string[]
  readonly stable: boolean
}

/** null where the system keeps no such names. */
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
