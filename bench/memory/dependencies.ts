/**
 * A process that has loaded what the backend loads of other people's programs, and does nothing: what is left of the
 * backend's memory is the backend's own.
 */
const PACKAGES = [
  '@fastify/static',
  '@fastify/swagger',
  '@point-of-sale/receipt-printer-encoder',
  'better-sqlite3',
  'fastify',
  'fastify-type-provider-zod',
  'moment-timezone',
  'openid-client',
  'pino',
  'ret',
  'serialport',
  'temporal-polyfill/implementation',
  'use-intl/core',
  'yaml',
  'zod',
]
for (const name of PACKAGES) await import(name)
// Node's own client, which is loaded when it is first used.
void globalThis.Response
process.stdin.resume()
process.stdout.write(`${JSON.stringify({ packages: PACKAGES.length })}\n`)
