import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { KEY_HEADER, type WindowKey, openWindowAt, windowHeaders } from '../../../../contracts/core/window.ts'
import type { LaneAnswer, LaneBody } from '../../rig/window.ts'

/**
 * A window without a screen that continues when the lane’s process is replaced. It repeats a call without a response
 * under the same idempotency key at the next process. It receives no events.
 */
export interface Till {
  open(url: string, launchUrl: string): Promise<void>
  close(): void
  /** Rejects all pending calls, because the lane will not start again. */
  abort(error: Error): void
  call(method: string, path: string, body?: object): Promise<LaneAnswer>
  /** The lane's address and the window's headers, for another client of the same window. */
  session(): { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  readonly repeatedCalls: number
}

/** The signed-in person is a manager, so that no action needs an approval. */
const MANAGER = { staffId: 'sam', pin: '9999' } as const
const DEADLINE_MS = 30_000
const AGAIN_MS = 20

export function createTill(): Till {
  let key: WindowKey | null = null
  let headers: Record<string, string> = {}
  let askedAgain = 0
  let agent = new Agent({ keepAlive: true })
  let at: string | null = null
  let opened = Promise.withResolvers<void>()
  let isOpen = false

  async function callOnce(url: string, method: string, path: string, key: string, body?: object) {
    const text = body === undefined ? '' : JSON.stringify(body)
    try {
      const call = request(url + path, {
        agent,
        method,
        signal: AbortSignal.timeout(DEADLINE_MS),
        headers: {
          ...headers,
          ...(method === 'GET' ? {} : { [KEY_HEADER]: key }),
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      })
      call.end(text)
      const [response] = await once(call, 'response')
      return await read(response)
    } catch {
      return null
    }
  }

  async function read(response: IncomingMessage): Promise<LaneAnswer> {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    return { status: response.statusCode ?? 0, body: (text === '' ? {} : JSON.parse(text)) as LaneBody }
  }

  async function callUntilAnswered(method: string, path: string, body?: object): Promise<LaneAnswer> {
    const key = randomUUID()
    for (;;) {
      await opened.promise
      const url = at
      const answer = url === null ? null : await callOnce(url, method, path, key, body)
      // The lane was idle for long: it has signed the manager out and has not run the command.
      if (url !== null && answer?.body.code === 'sign-in-required' && (await signIn(url))) continue
      if (answer !== null) return answer
      askedAgain += 1
      // The lane’s process may have ended before `close` is called.
      await pause(AGAIN_MS)
    }
  }

  /** Signs the manager in; returns false if the lane ended in the meantime, and then the next start signs in. */
  async function signIn(url: string): Promise<boolean> {
    let answer: LaneAnswer | null = null
    while (answer === null && at === url) {
      answer = await callOnce(url, 'POST', '/api/sign-in', randomUUID(), MANAGER)
      if (answer === null) await pause(AGAIN_MS)
    }
    if (answer !== null && answer.status !== 200)
      throw new Error(`the manager could not sign in: ${JSON.stringify(answer.body)}`)
    return answer !== null
  }

  return {
    async open(url, launchUrl) {
      at = url
      for (let isKnown = false; !isKnown;) {
        try {
          key ??= await openWindowAt(url, launchUrl)
          headers = await windowHeaders(url, key)
          isKnown = true
        } catch (error) {
          // The lane’s process was killed in the meantime: the next start opens the window.
          if (at !== url) return
          if (!isConnectionError(error)) throw error
          await pause(AGAIN_MS)
        }
      }
      // Opens the window and signs in, because a start signs all staff out. If the process was killed in the meantime,
      // the next start continues.
      if (!(await signIn(url))) return
      isOpen = true
      opened.resolve()
    },
    close() {
      at = null
      // Calls that already wait for a killed lane must keep waiting on the same promise.
      if (isOpen) opened = Promise.withResolvers<void>()
      isOpen = false
      agent.destroy()
      agent = new Agent({ keepAlive: true })
    },
    abort(error) {
      opened.promise.catch(() => undefined)
      opened.reject(error)
    },
    call: callUntilAnswered,
    session: () => ({ url: at ?? '', headers }),
    get repeatedCalls() {
      return askedAgain
    },
  }
}

/** Whether the response is missing or incomplete, which `fetch` reports as a TypeError. */
const isConnectionError = (error: unknown): boolean => error instanceof TypeError
