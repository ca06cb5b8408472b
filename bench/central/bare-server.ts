import Database from 'better-sqlite3'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Measures the minimum cost of a durable response over HTTP on this machine: the server reads a body, writes one row,
 * commits all rows of an event-loop iteration together with `synchronous=FULL`, and responds. It has no rules, tokens
 * or idempotency keys. Its argument is the database file.
 */
const db = new Database(process.argv[2] ?? ':memory:')
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('CREATE TABLE stored (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT')
const insert = db.prepare('INSERT INTO stored (body) VALUES (?)')
let waiting: { body: string; response: http.ServerResponse }[] = []
const commit = db.transaction((rows: typeof waiting) => {
  for (const { body } of rows) insert.run(body)
})

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8')
    JSON.parse(body)
    waiting.push({ body, response })
    if (waiting.length > 1) return
    setImmediate(() => {
      const rows = waiting
      waiting = []
      commit(rows)
      for (const row of rows) {
        row.response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(row.body) })
          .end(row.body)
      }
    })
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`)
})
