import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'

/**
 * Who else has this port open, as "name (pid 123)"; null when nobody does, or where it cannot be told: on another
 * system than Linux, and for another user's processes, into which a terminal does not look even where it could.
 */
export async function portHolder(path: string): Promise<string | null> {
  if (process.platform !== 'linux') return null
  try {
    const device = await realpath(path)
    const own = process.getuid?.()
    const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    const holders: string[] = []
    for (const pid of pids) {
      if ((await stat(`/proc/${pid}`).catch(() => null))?.uid !== own) continue
      const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
      for (const descriptor of descriptors) {
        if ((await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '')) !== device) continue
        const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
        holders.push(`${name || 'a process'} (pid ${pid})`)
        break
      }
    }
    if (holders.length > 0) return holders.join(', ')
  } catch {
    // The path is not there: nobody holds it.
  }
  return null
}
