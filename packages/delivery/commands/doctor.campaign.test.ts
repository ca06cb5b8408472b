import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { plantSecrets, secretFinder } from '../../../scripts/testing/planted-secrets.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const at = (...parts: string[]): string => path.join(root, ...parts)

function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-doctor-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

const lane = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, at('packages/delivery/commands/lane.ts'), ...args],
    {
      encoding: 'utf8',
      env: { ...process.env, ...environment },
    },
  )
  return { code: status, said: stdout + stderr }
}

test('whatever lies on a lane that is broken everywhere, none of its secrets is in what is said of it', () => {
  const folder = temporary()
  const secrets = plantSecrets(24, 'doctor')
  const find = secretFinder(secrets)
  const all = secrets.map(({ value }) => value).join('\n')
  const valueOf = (kind: string): string => secrets.find((one) => one.kind === kind)?.value ?? ''
  const data = path.join(folder, 'data')
  mkdirSync(path.join(data, 'bundles'), { recursive: true })
  mkdirSync(path.join(data, 'logs'))
  mkdirSync(path.join(data, 'backups'))
  for (const name of ['terminal.db', 'terminal.json', 'terminal.lock', 'journal.mark', 'bundles/own.keys'])
    writeFileSync(path.join(data, name), all)
  for (const name of ['bundles/state.json', 'bundles/order.json', 'logs/backend.log', 'backups/last-backup.json'])
    writeFileSync(path.join(data, name), JSON.stringify({ at: all, outcome: all }))
  writeFileSync(path.join(data, 'seal.key'), valueOf('key'), { mode: 0o600 })
  writeFileSync(path.join(data, 'client.secret'), valueOf('token'), { mode: 0o600 })
  const profile = path.join(folder, 'store.yaml')
  const example = readFileSync(at('stores', 'example.yaml'), 'utf8')
  writeFileSync(profile, `# ${valueOf('name')}\n${example}\npassword: ${valueOf('token')}\n`)
  const environment = { MILEPOST_CLIENT_SECRET: valueOf('token') }
  for (const more of [['--json'], ['--language', 'fr']]) {
    const { code, said } = lane(['doctor', '--data', data, '--profile', profile, ...more], environment)
    expect(code).toBe(2)
    expect(said).toMatch(/store\.yaml:\d+:\d+/)
    expect(find(Buffer.from(said))).toEqual([])
  }
  // What is looked for is found where it is said.
  expect(find(Buffer.from(`said: ${valueOf('token')}`))).not.toEqual([])
})

test('a check of which only the beginning is read ends without a trace', () => {
  const asked = ['--data', temporary(), '--profile', at('stores', 'training.yaml')]
  const command = ['"$0" "$@" | true', process.execPath, at('backend/operations/restore/doctor.ts'), ...asked]
  expect(spawnSync('sh', ['-c', ...command], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})

test('a lane starts with its user’s session from one command on, and no more after another', () => {
  const config = path.join(temporary(), 'con fig')
  const data = path.join(temporary(), 'da ta')
  const of = ['--data', data, '--profile', at('stores', 'training.yaml'), '--lane', '01']
  const environment = { XDG_CONFIG_HOME: config }
  expect(lane(['autostart', 'show', ...of], environment)).toEqual({
    code: 1,
    said: 'Milepost does not start by itself.\n',
  })
  const installed = lane(['autostart', 'install', '--entry', '--kiosk', ...of], environment)
  expect(installed.said).toContain(path.join(config, 'autostart', 'milepost.desktop'))
  const shown = lane(['autostart', 'show', '--language', 'fr', ...of], environment)
  expect(shown).toMatchObject({ code: 0, said: expect.stringContaining('"--data" "' + data + '"') })
  expect(shown.said).toMatch(/^Activé : .*\n\n\[Desktop Entry\][\s\S]*"--lane" "01" "--kiosk"$/m)
  expect(lane(['autostart', 'remove', ...of], environment).code).toBe(0)
  expect(lane(['autostart', 'sometimes', ...of], environment)).toMatchObject({
    code: 2,
    said: expect.stringContaining('autostart install'),
  })
})
