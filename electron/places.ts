import { homedir } from 'node:os'
import path from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Where a person's programs keep their data on this system. */
export function dataHome(platform: NodeJS.Platform = process.platform, env: Environment = process.env, home: string = homedir()): string {
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local')
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support')
  // The XDG specification: a relative path there is invalid and ignored.
  const xdg = env['XDG_DATA_HOME']
  return xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'share')
}

/** The data folder of one lane: `<data home>/milepost/<store id>-<lane>`. */
export function defaultDataFolder(storeId: string, lane: string, home: string = dataHome()): string {
  return path.join(home, 'milepost', `${storeId.replace(/[^A-Za-z0-9._-]/g, '_')}-${lane}`)
}
