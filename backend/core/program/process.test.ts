import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

const PROGRAM = `
  import { stopOf, stopOnRequest } from ${JSON.stringify(new URL('./process.ts', import.meta.url).href)}
  const log = { info: () => console.log('stopping'), error: () => undefined }
  const close = () => new Promise((resolve) => process.stdin.resume().once('data', resolve))
  stopOnRequest(stopOf(close, log), false)
  setInterval(() => undefined, 1_000)
  console.log('ready')
`

test('a second stop signal does not kill a program that is closing', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  child.kill('SIGTERM')
  // The program reads this line only after both signals were delivered.
  child.stdin.write('close\n')
  expect(await ended).toEqual([0, null])
})
