import { randomUUID } from 'node:crypto'
import { KEY_HEADER } from '../contracts/command-headers.ts'
import { SHELL_ORIGIN } from './origin.ts'
import { TerminalRefused } from './refused.ts'

/**
 * Spends the launch token for the session that all windows of this shell share. The shell holds their cookie anyway,
 * and so the token stands in no window's address, which Electron names in its messages when a page does not load.
 */
export async function openSession(launchToken: string, ask: (request: Request) => Promise<Response>): Promise<void> {
  const answer = await ask(
    new Request(`${SHELL_ORIGIN}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [KEY_HEADER]: randomUUID() },
      body: JSON.stringify({ launchToken }),
    }),
  )
  if (answer.ok) return
  throw new TerminalRefused([['noSession', { status: answer.status }], ['nothingLost']], 1)
}
