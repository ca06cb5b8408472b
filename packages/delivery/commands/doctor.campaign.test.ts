import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { plantSecrets, secretFinder } from '../../../scripts/testing/planted-secrets.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const at = (...segments: string[]): string => path.join(root, ...segments)

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
  return { code: status, output: stdout + stderr }
}

test("the lane check's report on a lane with defective files contains none of the lane's secrets", () => {
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
    const { code, output } = lane(['doctor', '--data', data, '--profile', profile, ...more], environment)
    expect(code).toBe(2)
    expect(output).toMatch(/store\.yaml:\d+:\d+/)
    expect(find(Buffer.from(output))).toEqual([])
  }
  expect(find(Buffer.from(`said: ${valueOf('token')}`))).not.toEqual([])
})

test('the lane check ends without a stack trace if the reader of its report stops early', () => {
  const options = ['--data', temporary(), '--profile', at('stores', 'training.yaml')]
  const command = ['"$0" "$@" | true', process.execPath, at('backend/operations/restore/doctor.ts'), ...options]
  expect(spawnSync('sh', ['-c', ...command], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})

test('the autostart CLI command installs, shows and removes the autostart of a lane', () => {
  const config = path.join(temporary(), 'con fig')
  const data = path.join(temporary(), 'da ta')
  const of = ['--data', data, '--profile', at('stores', 'training.yaml'), '--lane', '01']
  const environment = { XDG_CONFIG_HOME: config }
  expect(lane(['autostart', 'show', ...of], environment)).toEqual({
    code: 1,
    output: 'Milepost does not start automatically.\n',
  })
  const installed = lane(['autostart', 'install', '--entry', '--kiosk', ...of], environment)
  expect(installed.output).toContain(path.join(config, 'autostart', 'milepost.desktop'))
  const shown = lane(['autostart', 'show', '--language', 'fr', ...of], environment)
  expect(shown).toMatchObject({ code: 0, output: expect.stringContaining('"--data" "' + data + '"') })
  expect(shown.output).toMatch(/^Activé : .*\n\n\[Desktop Entry\][\s\S]*"--lane" "01" "--kiosk"$/m)
  expect(lane(['autostart', 'remove', ...of], environment).code).toBe(0)
  expect(lane(['autostart', 'show', ...of], environment).code).toBe(1)
  expect(lane(['autostart', 'sometimes', ...of], environment)).toMatchObject({
    code: 2,
    output: expect.stringContaining('autostart install'),
  })
})
