import { writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { readCommandLine } from '../../contracts/core/command-line.ts'
import { endingLine } from '../../contracts/core/program.ts'

/**
 * A stand-in for the backend or the central services that speaks only the part the supervision sees: the command line,
 * the one JSON line, the ways to end. `GET /die?code=N` ends it as a crash would; `GET /hang?code=N` makes it say that
 * it ends, and hang; `GET /say` makes it say its line again, after something else; `GET /` answers with its arguments.
 */
const { values } = readCommandLine(process.argv.slice(2), {
  texts: 'port data profile lane static seed control-port central-json',
  flags: 'exit-with-stdin or-another-port',
})
function hang(code: number): void {
  writeSync(process.stdout.fd, endingLine(code))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const fate = process.env['STAND_IN_FATE']
if (fate === 'refuse') {
  console.error('{"level":50,"msg":"a log line"}')
  console.error('line 3: region: expected one of BC, AB, …, found "ONN"')
  process.exit(2)
}
if (fate === 'busy') process.exit(3)
if (fate === 'hang') hang(4)
if (fate === 'silent')
  await new Promise(() => {
    setInterval(() => {}, 60_000)
  })
if (fate === 'babble') console.log('hello, not JSON')
if (fate === 'stubborn') process.on('SIGTERM', () => {})
else {
  process.on('SIGTERM', () => process.exit(0))
  if (values['exit-with-stdin']) process.stdin.once('end', () => process.exit(0)).resume()
}

// Only the central services are given a seed.
const isCentral = values.seed !== undefined
let line = ''
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://stand-in')
  if (url.pathname === '/die') process.exit(Number(url.searchParams.get('code')))
  if (url.pathname === '/hang') hang(Number(url.searchParams.get('code')))
  if (url.pathname === '/say') console.log(`something else\n${line}`)
  response.end(
    JSON.stringify({
      pid: process.pid,
      argv: process.argv.slice(2),
      secret: process.env['MILEPOST_CLIENT_SECRET'] ?? null,
    }),
  )
})
server.listen(Number(values.port ?? '0'), '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}`
  line = JSON.stringify(
    isCentral
      ? { url, tokenUrl: `${url}/oidc/token`, controlUrl: url, clientId: 'milepost-training', clientSecret: 'made-up' }
      : { url, launchUrl: `${url}/#launch=token-${process.pid}` },
  )
  console.log(line)
})
