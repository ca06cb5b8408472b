/**
 * Chromium switches that would disable the shell’s protection of its pages. A fuse disables Node’s `--inspect`, but
 * none of these. Switches that only affect the display are allowed.
 */
const OPENS_PAGES = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-allow-origins',
  'disable-web-security',
  'allow-running-insecure-content',
  'unsafely-treat-insecure-origin-as-secure',
  'enable-blink-features',
  'enable-experimental-web-platform-features',
  'load-extension',
  'disable-extensions-except',
  'disable-site-isolation-trials',
  'js-flags',
  'auto-open-devtools-for-tabs',
  'custom-devtools-frontend',
  'disable-site-isolation-for-policy',
] as const
const OPENS_COMPUTER = [
  'no-sandbox',
  'disable-seccomp-filter-sandbox',
  'disable-namespace-sandbox',
  'disable-gpu-sandbox',
  'allow-sandbox-debugging',
  'single-process',
  // These switches start another program in place of Chromium’s own processes.
  'browser-subprocess-path',
  'renderer-cmd-prefix',
  'utility-cmd-prefix',
  'gpu-launcher',
] as const

export interface ShellStart {
  readonly packaged: boolean
  readonly asRoot: boolean
  readonly hasSwitch: (name: string) => boolean
}

/** Returns why a package does not start with the given switches, or null if it does. */
export function refusedSwitch({ packaged, asRoot, hasSwitch }: ShellStart): string | null {
  if (!packaged) return null
  const pages = OPENS_PAGES.find(hasSwitch)
  if (pages !== undefined) return refusal(pages, 'it lets other programs control the terminal’s pages')
  const computer = asRoot ? undefined : OPENS_COMPUTER.find(hasSwitch)
  return computer === undefined
    ? null
    : refusal(computer, 'it disables the protection between the screen and this computer')
}

const refusal = (name: string, why: string): string =>
  `Milepost does not start with --${name}: ${why}. Remove it from the command or shortcut that starts Milepost, and ` +
  'start again. Nothing was changed.'
