import { createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { openTcpChannel } from './tcp-channel.ts'

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}

async function open() {
  const ends: Socket[] = []
  const server = createServer((socket) => {
    ends.push(socket)
    socket.on('error', () => undefined).resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const closed = Promise.withResolvers<string>()
  const channel = await openTcpChannel(
    { host: '127.0.0.1', port },
    { onData: () => undefined, onClose: closed.resolve },
    5_000,
  )
  onTestFinished(async () => {
    await channel.close()
    server.close()
  })
  return { channel, ends, closed: closed.promise }
}

test('written bytes are freed while the connection stays open', async () => {
  const { channel } = await open()
  const write = async (): Promise<WeakRef<Uint8Array>> => {
    const paper = new Uint8Array(4_096).fill(0x41)
    await channel.write(paper, 5_000)
    return new WeakRef(paper)
  }
  const papers = [await write(), await write(), await write()]
  await write()
  for (let iterations = 0; iterations < 10; iterations += 1) await turn()
  collectGarbage()
  expect(papers.map((paper) => paper.deref()?.byteLength)).toEqual([undefined, undefined, undefined])
})

test('a write during which the device disconnects fails, and so does the next write', async () => {
  const { channel, ends, closed } = await open()
  ends[0]?.pause()
  const written = channel.write(new Uint8Array(64 * 1024 * 1024), 5_000).catch((error: unknown) => String(error))
  ends[0]?.destroy()
  expect(await written).toContain('write failed')
  await closed
  await expect(channel.write(new Uint8Array(1), 5_000)).rejects.toThrow('write failed')
})
