import { KEY_HEADER } from './command-headers.ts'
import { openWindowKey, verifyLane, WINDOW_HEADER, type AskLane, type WindowKey } from './window-session.ts'

/** Spends the launch token of a link, for a program that works as a window without a screen. */
export async function openWindowAt(url: string, launchUrl: string): Promise<WindowKey> {
  return openWindowKey(asking(url), new URL(url).host, tokenOf(launchUrl))
}

/** The headers of this window for the lane's present run: after a restart of the lane they are asked for again. */
export async function windowHeaders(url: string, key: WindowKey): Promise<Record<string, string>> {
  return { origin: url, [WINDOW_HEADER]: await verifyLane(asking(url), new URL(url).host, key) }
}

const tokenOf = (launchUrl: string): string => new URL(launchUrl).hash.replace('#launch=', '')

const asking =
  (url: string): AskLane =>
  async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { origin: url, 'content-type': 'application/json', [KEY_HEADER]: crypto.randomUUID() },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
