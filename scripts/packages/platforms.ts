import { PackagePlatform } from '../../delivery/package-manifest.ts'

/** A system that packages are made for. */
export interface Platform {
  readonly name: PackagePlatform
  readonly os: 'linux' | 'win32' | 'darwin'
  readonly arch: 'x64' | 'arm64'
  /** What shows the terminal. */
  readonly window: 'electron' | 'browser'
}

export const PLATFORMS: Readonly<Record<PackagePlatform, Platform>> = {
  'linux-x64': { name: 'linux-x64', os: 'linux', arch: 'x64', window: 'electron' },
  'win-x64': { name: 'win-x64', os: 'win32', arch: 'x64', window: 'electron' },
  'mac-arm64': { name: 'mac-arm64', os: 'darwin', arch: 'arm64', window: 'electron' },
  'mac-x64': { name: 'mac-x64', os: 'darwin', arch: 'x64', window: 'electron' },
  'linux-x64-browser': { name: 'linux-x64-browser', os: 'linux', arch: 'x64', window: 'browser' },
}

const SHORT: Readonly<Record<string, readonly PackagePlatform[]>> = {
  linux: ['linux-x64'],
  win: ['win-x64'],
  mac: ['mac-arm64', 'mac-x64'],
  'linux-browser': ['linux-x64-browser'],
}
export const PLATFORM_NAMES = [...Object.keys(SHORT), ...PackagePlatform.options].join(', ')

/** `linux,win,mac,linux-browser` or whole names; a string names the one that there is none of. */
export function platformsNamed(list: string): readonly Platform[] | string {
  const found = new Set<PackagePlatform>()
  for (const word of list.split(',').map((one) => one.trim())) {
    const whole = PackagePlatform.safeParse(word)
    const names = SHORT[word] ?? (whole.success ? [whole.data] : null)
    if (names === null) return word
    for (const name of names) found.add(name)
  }
  return [...found].map((name) => PLATFORMS[name])
}

/** Whether its program can be started on this machine. */
export const runsHere = ({ os, arch }: Platform): boolean => os === process.platform && arch === process.arch
