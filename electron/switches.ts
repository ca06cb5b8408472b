/**
 * Chromium's switches that would undo what the shell promises of its pages. A fuse closes Node's own `--inspect`, and
 * none of these. What only changes how the screen is drawn is a lane's own business.
 */
const OPENS_A_DOOR = [
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
] as const

/**
 * Why a package does not start with the switches that it was given, in words, or null. A checkout takes them: whoever
 * develops looks inside.
 */
export function refusedSwitch(packaged: boolean, hasSwitch: (name: string) => boolean): string | null {
  const found = packaged ? OPENS_A_DOOR.find(hasSwitch) : undefined
  return found === undefined
    ? null
    : `Milepost does not start with --${found}: it opens the terminal’s pages to other programs. Take it out of the ` +
        'command or shortcut that starts Milepost, and start again. Nothing was changed.'
}
