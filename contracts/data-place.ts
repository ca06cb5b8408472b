type Environment = Readonly<Record<string, string | undefined>>

/** Where a person's programs keep their data on this system, as the parts of a path. */
export function dataHomeParts(platform: string, env: Environment, home: string): readonly string[] {
  if (platform === 'win32')
    return env['LOCALAPPDATA'] === undefined ? [home, 'AppData', 'Local'] : [env['LOCALAPPDATA']]
  if (platform === 'darwin') return [home, 'Library', 'Application Support']
  // The XDG specification: a relative path there is invalid and ignored.
  const xdg = env['XDG_DATA_HOME']
  return xdg?.startsWith('/') ? [xdg] : [home, '.local', 'share']
}

/** The data folder of one lane below that, as the parts of a path: `milepost/<store id>-<lane>`. */
export const laneFolderParts = (storeId: string, lane: string): readonly string[] => [
  'milepost',
  `${storeId}-${lane}`.replace(/[^A-Za-z0-9._-]/g, '_'),
]
