import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/**
 * Resolves when the process has said this on its standard error; throws with what it said when it ends before. It is
 * heard to its end: a process that nobody listens to any more dies of its next line.
 */
export async function waitForOutput(
  process: ChildProcess & { readonly stderr: Readable },
  words: RegExp,
): Promise<void> {
  let said = ''
  const found = Promise.withResolvers<void>()
  process.stderr.on('data', (chunk: Buffer) => {
    said += String(chunk)
    if (words.test(said)) found.resolve()
  })
  const ended = once(process, 'close').then(() => {
    throw new Error(`${process.spawnfile} ended: ${said}`)
  })
  await Promise.race([found.promise, ended])
}
