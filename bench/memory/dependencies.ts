/**
 * A process that loads the backend’s packages without the backend’s code, to find how much of the backend’s memory is
 * its own.
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
// Node loads its own fetch on first use.
void globalThis.Response
process.stdin.resume()
process.stdout.write(`${JSON.stringify({ packages: PACKAGES.length })}\n`)
