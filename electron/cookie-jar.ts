/**
 * The cookies of the one window session. Browsers keep no cookies for schemes of an application's own, so the shell
 * keeps them, in memory alone, and the pages never see them. Paths and domains need no care: there is one backend.
 */
export interface CookieJar {
  /** Takes the Set-Cookie lines of an answer. */
  store(lines: readonly string[]): void
  /** The Cookie header of the next request, or null when there is none. */
  header(): string | null
}

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, string>()
  return {
    store: (lines) => {
      for (const line of lines) {
        const [pair = '', ...attributes] = line.split(';')
        const equals = pair.indexOf('=')
        if (equals < 1) continue
        const name = pair.slice(0, equals).trim()
        if (isRemoval(attributes)) cookies.delete(name)
        else cookies.set(name, pair.slice(equals + 1).trim())
      }
    },
    header: () => (cookies.size === 0 ? null : [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')),
  }
}

/** RFC 6265 §5.3: Max-Age of zero or less, else an Expires in the past, removes the cookie. */
function isRemoval(attributes: readonly string[]): boolean {
  const read = (wanted: string): string | undefined =>
    attributes
      .map((one) => one.trim())
      .find((one) => one.toLowerCase().startsWith(`${wanted}=`))
      ?.slice(wanted.length + 1)
  const maxAge = read('max-age')
  if (maxAge !== undefined) return Number(maxAge) <= 0
  const expires = read('expires')
  return expires !== undefined && Date.parse(expires) <= Date.now()
}
