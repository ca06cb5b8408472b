import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openBareCommits } from '../journal/bare-commits.ts'

/**
 * A server that commits one row per call and responds with as many bytes as a sale of five lines. Measures the cost of
 * Node, the loopback interface and the disk. `node bench/checkout/bare-calls.ts FOLDER` prints its port when it is
 * ready, and exits at the end of standard input.
 */
const ANSWER = JSON.stringify({ sale: 'x'.repeat(3_000) })

const commits = openBareCommits(process.argv[2] ?? '.')
const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    commits.round(1)
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.end(ANSWER)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`)
})
const end = (): void => {
  server.close()
  server.closeAllConnections()
  commits.close()
  process.stdin.destroy()
}
process.stdin.once('end', end).resume()
process.once('SIGTERM', end)
