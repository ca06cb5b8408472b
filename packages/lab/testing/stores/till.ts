import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { KEY_HEADER, type WindowKey, openWindowAt, windowHeaders } from '../../../../contracts/core/window.ts'
import type { LaneAnswer, LaneBody } from '../../rig/window.ts'

/**
 * A window without a screen that outlives the processes of its lane: what was not answered is asked again, under its
 * own key, of the process that comes after. It hears no events.
 */
export interface Till {
  /** The lane runs, and is here now; somebody is signed in when it resolves. */
  open(url: string, launchUrl: string): Promise<void>
  /** The lane is going. */
  close(): void
  /** The lane does not come back: whoever waits for it is told why. */
  giveUp(error: Error): void
  /** Answered once, whatever happens to the lane in between. */
  call(method: string, path: string, body?: object): Promise<LaneAnswer>
  /** For another client of the same window: where the lane is, and what it shows there. */
  session(): { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  /** Commands that were asked again of a later process. */
  readonly askedAgain: number
}

/** A manager: nothing of what a customer wants asks for somebody else. */
const WHO = { staffId: 'sam', pin: '9999' } as const
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

  /** Null where nobody answers. */
  async function askOnce(url: string, method: string, path: string, key: string, body?: object) {
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
    const parts: Buffer[] = []
    for await (const part of response) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString()
    return { status: response.statusCode ?? 0, body: (text === '' ? {} : JSON.parse(text)) as LaneBody }
  }

  async function asked(method: string, path: string, body?: object): Promise<LaneAnswer> {
    const key = randomUUID()
    for (;;) {
      await opened.promise
      const url = at
      const answer = url === null ? null : await askOnce(url, method, path, key, body)
      // Nobody was at the lane for long, as while the others end their day: it has signed them out, and done nothing.
      if (url !== null && answer?.body.code === 'sign-in-required' && (await signIn(url))) continue
      if (answer !== null) return answer
      askedAgain += 1
      // Between the end of a process and the word of it there is a moment.
      await pause(AGAIN_MS)
    }
  }

  /** False where the lane has gone meanwhile: the next start signs in. */
  async function signIn(url: string): Promise<boolean> {
    let answer: LaneAnswer | null = null
    while (answer === null && at === url) {
      answer = await askOnce(url, 'POST', '/api/sign-in', randomUUID(), WHO)
      if (answer === null) await pause(AGAIN_MS)
    }
    if (answer !== null && answer.status !== 200)
      throw new Error(`nobody could sign in: ${JSON.stringify(answer.body)}`)
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
          // It was killed meanwhile: the next start opens.
          if (at !== url) return
          if (!isLost(error)) throw error
          await pause(AGAIN_MS)
        }
      }
      // A start signs everybody out. Where it was killed meanwhile, the next one opens.
      if (!(await signIn(url))) return
      isOpen = true
      opened.resolve()
    },
    close() {
      at = null
      // Whoever waits for a lane that is killed again waits on.
      if (isOpen) opened = Promise.withResolvers<void>()
      isOpen = false
      agent.destroy()
      agent = new Agent({ keepAlive: true })
    },
    giveUp(error) {
      opened.promise.catch(() => undefined)
      opened.reject(error)
    },
    call: asked,
    session: () => ({ url: at ?? '', headers }),
    get askedAgain() {
      return askedAgain
    },
  }
}

/** As `fetch` says that nobody answered, or that the answer broke off. */
const isLost = (error: unknown): boolean => error instanceof TypeError
