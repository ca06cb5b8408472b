import { accessSync, constants } from 'node:fs'
import path from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>
export interface Browser {
  readonly name: string
  readonly program: string
}

const ON_PATH: readonly (readonly [file: string, name: string])[] = [
  ['chromium', 'Chromium'],
  ['chromium-browser', 'Chromium'],
  ['google-chrome-stable', 'Chrome'],
  ['google-chrome', 'Chrome'],
  ['microsoft-edge-stable', 'Edge'],
  ['microsoft-edge', 'Edge'],
]
const MAC_APPS: readonly (readonly [string, string])[] = [
  ['Google Chrome', 'Chrome'],
  ['Chromium', 'Chromium'],
  ['Microsoft Edge', 'Edge'],
]
const WINDOWS_PROGRAMS: readonly (readonly [string, string])[] = [
  ['Google\\Chrome\\Application\\chrome.exe', 'Chrome'],
  ['Microsoft\\Edge\\Application\\msedge.exe', 'Edge'],
  ['Chromium\\Application\\chrome.exe', 'Chromium'],
]

function mayRun(program: string): boolean {
  try {
    accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the first installed browser that can open an app window (`--app=`), or null. */
export function findBrowser(
  platform: NodeJS.Platform = process.platform,
  env: Environment = process.env,
): Browser | null {
  return candidates(platform, env).find((browser) => mayRun(browser.program)) ?? null
}

function candidates(platform: NodeJS.Platform, env: Environment): Browser[] {
  if (platform === 'win32') {
    const roots = [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']].filter(
      (root) => root !== undefined,
    )
    return WINDOWS_PROGRAMS.flatMap(([file, name]) =>
      roots.map((root) => ({ name, program: path.win32.join(root, file) })),
    )
  }
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '')
  if (platform === 'darwin') folders.length = 0
  // Debian’s program folders may not be in PATH.
  else folders.push('/usr/bin', '/snap/bin')
  const onPath = ON_PATH.flatMap(([file, name]) =>
    folders.map((folder) => ({ name, program: path.join(folder, file) })),
  )
  const apps =
    platform === 'darwin'
      ? MAC_APPS.flatMap(([app, name]) =>
          ['/Applications', path.join(env['HOME'] ?? '', 'Applications')].map((folder) => ({
            name,
            program: path.join(folder, `${app}.app`, 'Contents', 'MacOS', app),
          })),
        )
      : []
  return [...apps, ...onPath]
}

/**
 * Returns the arguments for an app window with its own user-data folder: without the user’s bookmarks and extensions,
 * and without background requests of the browser.
 */
export function browserArguments(
  address: string,
  userDataFolder: string,
  { asRoot, kiosk = false }: { readonly asRoot: boolean; readonly kiosk?: boolean },
): string[] {
  return [
    `--app=${address}`,
    `--user-data-dir=${userDataFolder}`,
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
    '--disable-domain-reliability',
    '--metrics-recording-only',
    '--password-store=basic',
    '--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication',
    '--window-size=1280,800',
    // Kiosk mode: full screen, without controls that leave the page.
    ...(kiosk ? ['--kiosk'] : []),
    // Chromium refuses to run its sandbox as root; only development machines run a lane as root.
    ...(asRoot ? ['--no-sandbox'] : []),
  ]
}

export function displayMissing(
  platform: NodeJS.Platform = process.platform,
  env: Environment = process.env,
): string | null {
  if (platform === 'win32' || platform === 'darwin' || env['DISPLAY'] || env['WAYLAND_DISPLAY']) return null
  return 'this machine has no graphical display (neither DISPLAY nor WAYLAND_DISPLAY is set)'
}
