/**
 * Name of the header Idempotency-Key (IETF draft), sent with every changing call. The window makes the key and repeats
 * it until the call is answered, so that a retry has no second effect.
 */
export const KEY_HEADER = 'idempotency-key'
/** Name of the header of an answer that was replayed for a known idempotency key. */
export const REPLAYED_HEADER = 'idempotent-replayed'
export const COMMAND_KEY = /^[\w-]{16,64}$/

/** Exchanges the launch token of a link for a window key, for a program that acts as a window without a screen. */
export async function openWindowAt(url: string, launchUrl: string): Promise<WindowKey> {
  return openWindowKey(asking(url), new URL(url).host, tokenOf(launchUrl))
}

/**
 * Returns the headers by which this window authenticates to the current run of the lane's program. A restart makes them
 * invalid.
 */
export async function windowHeaders(url: string, key: WindowKey): Promise<Record<string, string>> {
  return { origin: url, [WINDOW_HEADER]: await verifyLane(asking(url), new URL(url).host, key) }
}

const tokenOf = (launchUrl: string): string => new URL(launchUrl).hash.replace('#launch=', '')

const asking =
  (url: string): CallLane =>
  async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { origin: url, 'content-type': 'application/json', [KEY_HEADER]: crypto.randomUUID() },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }

/**
 * Mutual authentication of a window and its lane over a loopback port that another program can occupy. A window sends
 * neither the launch token nor its key, only HMAC-SHA-256 values (RFC 2104, in hex), which a listener cannot use. The
 * lane's proof includes the host that the window called, so that another program cannot relay it; the window's proof
 * is valid for one run of the lane's program.
 */
export const WINDOW_HEADER = 'milepost-window'

export interface WindowKey {
  readonly window: string
  /** Secret key of the window: 32 bytes, base64url. */
  readonly key: string
}

/** Message of each HMAC: its purpose prevents the use of one HMAC for another. */
export const launchMessage = (): string => message('launch')
export const openedMessage = (nonce: string, host: string, { window, key }: WindowKey): string =>
  message('opened', nonce, host, window, key)
export const laneMessage = (nonce: string, host: string, run: string): string => message('lane', nonce, host, run)
export const windowMessage = (run: string): string => message('window', run)

const message = (...parts: readonly string[]): string => JSON.stringify(parts)

export const headerOf = (window: string, proof: string): string => `${window}.${proof}`

/** Thrown when the program that answered is not the lane. That program received nothing that it could use. */
export class OtherProgramError extends Error {}

/** Calls the lane's API and returns the parsed body. Throws when the lane refuses or does not answer. */
export type CallLane = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>

/** Exchanges a launch token for the secret key of this window. Throws OtherProgramError. */
export async function openWindowKey(ask: CallLane, host: string, token: string): Promise<WindowKey> {
  const nonce = newNonce()
  const opened = (await ask('POST', '/api/session', {
    launch: await hmac(token, launchMessage()),
    nonce,
  })) as WindowKey & Proof
  if (opened.proof !== (await hmac(token, openedMessage(nonce, host, opened)))) throw new OtherProgramError()
  return { window: opened.window, key: opened.key }
}

/**
 * Verifies that this lane answers at the address, and returns the window's header, valid until the program restarts.
 * Throws OtherProgramError if another program answers.
 */
export async function verifyLane(ask: CallLane, host: string, { window, key }: WindowKey): Promise<string> {
  const nonce = newNonce()
  const { run, proof } = (await ask('GET', `/api/session/run?window=${window}&nonce=${nonce}`)) as LaneProof
  if (proof !== (await hmac(key, laneMessage(nonce, host, run)))) throw new OtherProgramError()
  return headerOf(window, await hmac(key, windowMessage(run)))
}

interface Proof {
  readonly proof: string
}
interface LaneProof extends Proof {
  readonly run: string
}

const newNonce = (): string => crypto.randomUUID()

async function hmac(key: string, text: string): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', encoder.encode(key), algorithm, false, ['sign'])
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', imported, encoder.encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
