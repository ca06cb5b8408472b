import { writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { readCommandLine } from '../../contracts/core/command-line.ts'
import { endingLine } from '../../contracts/core/program.ts'

/**
 * A stand-in for the backend or the central services with the interface that the supervisor expects: the command line,
 * the JSON line, the ways to end. `GET /die?code=N` exits like a crash; `GET /hang?code=N` reports the exit and hangs;
 * `GET /repeat` prints the line again, after another one; `GET /` returns the arguments.
 */
const { values } = readCommandLine(process.argv.slice(2), {
  texts: 'port data profile lane static seed control-port central-json',
  flags: 'exit-with-stdin or-another-port',
})
function hang(code: number): void {
  writeSync(process.stdout.fd, endingLine(code))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const behaviour = process.env['STAND_IN_FATE']
if (behaviour === 'refuse') {
  console.error('{"level":50,"msg":"a log line"}')
  console.error('line 3: region: expected one of BC, AB, …, found "ONN"')
  process.exit(2)
}
if (behaviour === 'busy') process.exit(3)
if (behaviour === 'hang') hang(4)
if (behaviour === 'silent')
  await new Promise(() => {
    setInterval(() => {}, 60_000)
  })
if (behaviour === 'babble') console.log('hello, not JSON')
if (behaviour === 'stubborn') process.on('SIGTERM', () => {})
else {
  process.on('SIGTERM', () => process.exit(0))
  if (values['exit-with-stdin']) process.stdin.once('end', () => process.exit(0)).resume()
}

// The central services are started with a seed, the backend without one.
const isCentral = values.seed !== undefined
let line = ''
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://stand-in')
  if (url.pathname === '/die') process.exit(Number(url.searchParams.get('code')))
  if (url.pathname === '/hang') hang(Number(url.searchParams.get('code')))
  if (url.pathname === '/repeat') console.log(`something else\n${line}`)
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
