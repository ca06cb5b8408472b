/**
 * The origin of every window inside Electron. The backend allows exactly this one when it listens on a socket;
 * the scheme is registered before the application is ready and answered by `forward`.
 */
export const SHELL_SCHEME = 'app'
export const SHELL_HOST = 'milepost'
export const SHELL_ORIGIN = `${SHELL_SCHEME}://${SHELL_HOST}`

/** True for addresses of the terminal's own pages. URL.origin is "null" for schemes that are not of the web. */
export function isOwnAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host } = new URL(address)
  return protocol === `${SHELL_SCHEME}:` && host === SHELL_HOST
}

/** True for a file that one of the terminal's own pages made in memory, e.g. an exported report. */
export const isOwnFile = (address: string): boolean =>
  address.startsWith('blob:') && isOwnAddress(address.slice('blob:'.length))
