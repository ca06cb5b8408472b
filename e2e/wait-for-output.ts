import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/**
 * Resolves when the process has printed this text to its standard error; rejects with its output if it ends first.
 * Reads until the process ends: a process without a reader dies of SIGPIPE on its next line.
 */
export async function waitForOutput(
  process: ChildProcess & { readonly stderr: Readable },
  pattern: RegExp,
): Promise<void> {
  let output = ''
  const found = Promise.withResolvers<void>()
  process.stderr.on('data', (chunk: Buffer) => {
    output += String(chunk)
    if (pattern.test(output)) found.resolve()
  })
  const ended = once(process, 'close').then(() => {
    throw new Error(`${process.spawnfile} ended: ${output}`)
  })
  await Promise.race([found.promise, ended])
}
