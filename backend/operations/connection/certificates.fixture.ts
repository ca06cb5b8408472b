import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../core/http/testing.ts'

export interface Certificate {
  readonly cert: string
  readonly key: string
}
export interface Authority {
  readonly root: string
  issue(name: string, fromDays: number, untilDays: number): Certificate
}

export const hasOpenssl = (process.env['PATH'] ?? '')
  .split(':')
  .some((folder) => folder !== '' && existsSync(join(folder, 'openssl')))

const CONFIG = `
[ca]
default_ca = own
[own]
new_certs_dir = issued
database = index.txt
unique_subject = no
serial = serial
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
[req]
distinguished_name = name
[name]
`

export function openAuthority(): Authority {
  const folder = temporaryFolder()
  const openssl = (args: string): void => {
    execFileSync('openssl', args.split(' '), { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  mkdirSync(join(folder, 'issued'))
  writeFileSync(join(folder, 'index.txt'), '')
  writeFileSync(join(folder, 'serial'), '01\n')
  writeFileSync(join(folder, 'ca.cnf'), CONFIG)
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -config ca.cnf'
  openssl(
    `req -x509 ${newKey} -days 30 -subj /CN=root-of-a-test -keyout root.key -out root.pem ` +
      '-addext basicConstraints=critical,CA:TRUE',
  )
  let count = 0
  return {
    root: readFileSync(join(folder, 'root.pem'), 'utf8'),
    issue(name, fromDays, untilDays) {
      count += 1
      const file = (ending: string): string => join(folder, `${count}.${ending}`)
      openssl(
        `req ${newKey} -subj /CN=${name} -addext subjectAltName=DNS:${name} -keyout ${count}.key -out ${count}.csr`,
      )
      openssl(
        'ca -batch -config ca.cnf -cert root.pem -keyfile root.key -notext ' +
          `-startdate ${instantOf(fromDays)} -enddate ${instantOf(untilDays)} -in ${count}.csr -out ${count}.pem`,
      )
      return { cert: readFileSync(file('pem'), 'utf8'), key: readFileSync(file('key'), 'utf8') }
    },
  }
}

const instantOf = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '')
