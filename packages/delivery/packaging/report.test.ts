import { expect, test } from 'vitest'
import { csvReport, htmlReport, sums, type Outcome } from './report.ts'

const MADE: Outcome = {
  kind: 'made',
  store: '1001',
  name: 'Fruits & <b>co</b>, "Nord"',
  lanes: ['01', '02'],
  mode: 'production',
  platform: 'linux-x64',
  file: '1001-linux-x64.tar.gz',
  bytes: 50_126_983,
  sha256: 'ab'.repeat(32),
  warnings: [],
}
const BROKEN: Outcome = {
  kind: 'broken',
  store: '1002',
  profile: 'stores/1002.yaml',
  mistakes: ['stores/1002.yaml:3:1  region: found “XX”', 'stores/1002.yaml:9:2  another'],
}

test('the CSV report has a row for each package, and for each store without one, with its mistakes', () => {
  const [head, made, ...broken] = csvReport([MADE, BROKEN]).trimEnd().split('\r\n')
  expect(head).toContain('store,name,lanes,mode,platform,file,bytes,sha256,warnings,mistakes')
  expect(made).toBe(
    `1001,"Fruits & <b>co</b>, ""Nord""",01 02,production,linux-x64,1001-linux-x64.tar.gz,50126983,${MADE.sha256},,`,
  )
  expect(broken.join('\n')).toBe(`1002,,,,,,,,,"${BROKEN.mistakes.join('\n')}"`)
  expect(csvReport([{ ...MADE, kind: 'reused' }])).toBe(csvReport([MADE]))
  expect(sums([MADE, BROKEN])).toBe(`${MADE.sha256}  1001-linux-x64.tar.gz\n`)
})

test('the HTML report escapes text, and also reports an empty result', () => {
  const page = htmlReport([MADE, BROKEN])
  expect(page).toContain('<td>Fruits &amp; &lt;b&gt;co&lt;/b&gt;, &quot;Nord&quot;</td>')
  expect(page).toContain('<td class="number">50.1 MB</td>')
  expect(page).toContain('stores/1002.yaml:3:1  region: found “XX”')
  expect(htmlReport([BROKEN])).toContain('No package was made.')
  expect(htmlReport([MADE])).not.toContain('Stores without a package')
})
