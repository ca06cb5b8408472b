import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { makeScrapeToken } from '../../delivery/metrics-registry.ts'
import { freePort } from '../db/start-postgres.ts'
import { usePostgres } from '../testing/postgres.ts'
import { GOOD, startScraped } from './scraped-server.fixture.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const DOCS = path.join(import.meta.dirname, '..', '..', '..', 'docs')
const NO_PROMETHEUS = 'Prometheus is not installed (Debian: prometheus)'
const TIMEOUT_MS = { timeout: 60_000, interval: 500 }

const isThere = (): Promise<boolean> =>
  promisify(execFile)('prometheus', ['--version']).then(
    () => true,
    () => false,
  )

function configuration(places: Readonly<Record<string, string>>): string {
  const page = readFileSync(path.join(DOCS, 'observability.md'), 'utf8')
  const block = [...page.matchAll(/```yaml\n(.*?)```/gs)].find(([, text]) => text?.includes('job_name: milepost-store'))
  const written = Object.entries(places).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the page does not name ${from}`)
    return text.replaceAll(from, to)
  }, block?.[1] ?? '')
  return `global: { scrape_interval: 1s, evaluation_interval: 1s }\n${written}`
}

const Answer = z.object({
  status: z.literal('success'),
  data: z.object({
    result: z.array(
      z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]).optional() }),
    ),
  }),
})
const Dashboard = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })),
})

test('Prometheus scrapes server and lanes as documented, and answers every dashboard query', async ({ skip }) => {
  skip(!(await isThere()), NO_PROMETHEUS)
  const { server, hello, sendAs } = await startScraped(cluster, skip, 2)
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-prometheus-'))
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text)
    return path.join(folder, name)
  }
  await Promise.all([hello(0), hello(1)])
  await sendAs(1, '/lane/metrics', GOOD)
  const config = file(
    'prometheus.yml',
    configuration({
      '/etc/prometheus/milepost-alerts.yaml': path.join(DOCS, 'grafana', 'alerts.yaml'),
      '/etc/prometheus/milepost-server.crt': file('server.crt', server.certificate.certificate),
      '/etc/prometheus/milepost-store.token': file('token', makeScrapeToken(server.data)),
      'store.example:8443': new URL(server.url).host,
    }),
  )
  const port = await freePort()
  const flags = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  const prometheus = spawn('prometheus', flags, { stdio: 'ignore' })
  onTestFinished(() => {
    prometheus.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const query = async (expr: string): Promise<Record<string, string>> => {
    const at = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`
    const answer = await fetch(at).then(
      (response) => response.json(),
      () => ({ status: 'not there yet' }),
    )
    const { data } = Answer.parse(answer)
    return Object.fromEntries(
      data.result.map(({ metric, value }) => [
        Object.keys(metric)
          .toSorted()
          .filter((label) => !['instance', '__name__'].includes(label))
          .map((label) => `${label}=${metric[label]}`)
          .join(' '),
        value?.[1] ?? '',
      ]),
    )
  }

  await expect
    .poll(() => query('up').catch(() => null), TIMEOUT_MS)
    .toEqual({ 'job=milepost-store store=1001': '1', 'job=milepost-lanes': '1' })
  expect(await query('milepost_lane_up')).toEqual({
    'job=milepost-lanes lane=01 store=1001': '0',
    'job=milepost-lanes lane=02 store=1001': '1',
  })
  expect(await query('milepost_transactions_total')).toEqual({ 'job=milepost-lanes kind=sale lane=02 store=1001': '3' })
  expect(await query('milepost_store_database_up')).toEqual({ 'job=milepost-store store=1001': '1' })
  expect(await query('ALERTS{alertstate="firing"}')).toEqual({})
  const exprs = ['lane.json', 'store.json'].flatMap((name) => {
    const { panels } = Dashboard.parse(JSON.parse(readFileSync(path.join(DOCS, 'grafana', name), 'utf8')))
    return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  })
  expect(exprs.length).toBeGreaterThan(50)
  for (const expr of exprs) await query(expr.replaceAll(/\$(store|lane)/g, '.*'))
})
