/**
 * Chromium's switches that would undo what the shell promises of its pages. A fuse closes Node's own `--inspect`, and
 * none of these. What only changes how the screen is drawn is a lane's own business.
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
  // They start another program in the place of Chromium's own processes.
  'browser-subprocess-path',
  'renderer-cmd-prefix',
  'utility-cmd-prefix',
  'gpu-launcher',
] as const

export interface ShellStart {
  /** A checkout takes them all: whoever develops looks inside. */
  readonly packaged: boolean
  /** Root has no sandbox to lose, and starts nothing without the switch. */
  readonly asRoot: boolean
  readonly hasSwitch: (name: string) => boolean
}

/** Why a package does not start with the switches that it was given, in words, or null. */
export function refusedSwitch({ packaged, asRoot, hasSwitch }: ShellStart): string | null {
  if (!packaged) return null
  const pages = OPENS_PAGES.find(hasSwitch)
  if (pages !== undefined) return refusal(pages, 'it opens the terminal’s pages to other programs')
  const computer = asRoot ? undefined : OPENS_COMPUTER.find(hasSwitch)
  return computer === undefined
    ? null
    : refusal(computer, 'it takes down the wall between the screen and this computer')
}

const refusal = (name: string, why: string): string =>
  `Milepost does not start with --${name}: ${why}. Take it out of the command or shortcut that starts Milepost, and ` +
  'start again. Nothing was changed.'
