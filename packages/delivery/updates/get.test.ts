import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sha256 } from './formats.ts'
import { getBytes, getFile, Unreachable } from './get.ts'

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const http = createServer((_, response) => answer(response))
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/`
}

test('a download is cancelled after a timeout even if the server occasionally sends a byte', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const base = await serve((response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write('.'), 2)
    response.once('close', () => clearInterval(drip))
  })
  let end: unknown = null
  void getBytes({ base }, 'channel.signed', 1_000_000).catch((error: unknown) => (end = error))
  for (let passed = 0; passed < 200_000 && end === null; passed += 5_000) {
    vi.advanceTimersByTime(5_000)
    // The pause is long enough to receive a byte, so that the idle timeout does not end the download.
    await new Promise((resolve) => {
      setImmediate(() => setInterval(resolve, 20).unref())
    })
  }
  expect(end).toBeInstanceOf(Unreachable)
  expect(String(end)).toContain('the download was too slow')
})

test.each([undefined, 'gzip', 'x-gzip', 'GZIP'])(
  'a compressed file can be downloaded from a web server that describes its encoding as “%s”',
  async (encoding) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'milepost-get-'))
    onTestFinished(() => {
      rmSync(folder, { recursive: true, force: true })
    })
    const content = Buffer.from('a program')
    const base = await serve((response) => {
      response.writeHead(200, encoding === undefined ? {} : { 'content-encoding': encoding }).end(gzipSync(content))
    })
    const file = { path: 'a', sha256: sha256(content), bytes: content.byteLength, executable: false }
    const into = path.join(folder, 'a')
    expect(await getFile({ base }, 'files/a.gz', file, into)).toBe(true)
    expect(readFileSync(into)).toEqual(content)
  },
)
