import { randomUUID } from 'node:crypto'
import { KEY_HEADER } from '../contracts/command-headers.ts'
import { openWindowKey, verifyLane, type AskLane, type WindowKey } from '../contracts/window-session.ts'
import { SHELL_HOST, SHELL_ORIGIN } from './origin.ts'
import { TerminalRefused } from './refused.ts'

/** The one session that all windows of this shell share. The shell shows it for them: the pages never see its key. */
export interface ShellSession {
  /** The header for the lane's present run; null before the session is open. Throws where the lane does not answer. */
  header(): Promise<string | null>
  /** The backend ended, or refused the header: the next call asks it for a proof again. */
  doubt(): void
  /** Spends the launch token. Throws TerminalRefused. */
  open(launchToken: string): Promise<void>
}

/** `ask`: to the backend, without this session. */
export function createShellSession(ask: (request: Request) => Promise<Response>): ShellSession {
  let own: WindowKey | null = null
  let verified: Promise<string> | null = null

  const askLane: AskLane = async (method, path, body) => {
    const answer = await ask(
      new Request(SHELL_ORIGIN + path, {
        method,
        headers: { 'content-type': 'application/json', [KEY_HEADER]: randomUUID() },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    if (!answer.ok) throw new TerminalRefused([['noSession', { status: answer.status }], ['nothingLost']], 1)
    return answer.json()
  }

  return {
    async header() {
      if (own === null) return null
      const header = (verified ??= verifyLane(askLane, SHELL_HOST, own))
      try {
        return await header
      } catch (error) {
        if (verified === header) verified = null
        throw error
      }
    },
    doubt() {
      verified = null
    },
    async open(launchToken) {
      own = await openWindowKey(askLane, SHELL_HOST, launchToken)
    },
  }
}
