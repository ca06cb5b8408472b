import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Shop } from './crashes/shop.ts'
import type { ProgramFolder } from './release-back.ts'
import { openWindow, type Window } from './window.ts'

/** A backend of some release, in a process of its own. */
export interface LaneProgram {
  readonly window: Window
  /** Ends it in order. Rejects when it ended otherwise. */
  stop(): Promise<void>
}

/** Starts a built program on a data folder of a shop. Rejects with what it said where it does not come up. */
export async function startLane({ app }: ProgramFolder, shop: Shop, data: string): Promise<LaneProgram> {
  const { url, tokenUrl, clientId, clientSecret, memberSignInUrl, revocationUrl, issuer } = shop.central
  const central = JSON.stringify({ url, tokenUrl, clientId, memberSignInUrl, revocationUrl, issuer })
  const options = ['--profile', shop.profile, '--data', data, '--central-json', central, '--log-level', 'error']
  const child = spawn(process.execPath, [join(app, 'backend/main.js'), ...options, '--exit-with-stdin'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, MILEPOST_CLIENT_SECRET: clientSecret },
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const exited = once(child, 'exit')
  const line = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited.then(() => null)])
  // The first line of one that does not come up says how it ends.
  const ready = (line === null ? {} : JSON.parse(String(line[0]))) as { url?: string; launchUrl?: string }
  if (ready.url === undefined || ready.launchUrl === undefined) {
    await exited
    throw new Error(`the lane did not come up: ${said}`)
  }
  const window = await openWindow(ready.url, { launchUrl: ready.launchUrl })
  return {
    window,
    async stop() {
      window.close()
      child.stdin.end()
      const [code, signal] = (await exited) as [number | null, string | null]
      if (code !== 0) throw new Error(`the lane ended with ${code ?? signal}: ${said}`)
    },
  }
}
