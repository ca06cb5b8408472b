import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder, testClock } from '../../core/http/testing.ts'
import { createFetchImage } from './fetch-image.ts'
import { png, servePictures, type PictureServer } from './pictures.fixture.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'
import { type OffersService, offersOf } from '../offers/offers.ts'
import { ImageStore } from './image-files.ts'
import { fetchImageOf, imageStoreOf, offerImagesOf } from './offer-images.ts'

const pictures = (): Promise<PictureServer> =>
  servePictures((request, response) => {
    response.end(request.url === '/page' ? '<!doctype html>' : png(`picture ${request.url ?? ''}`))
  })

const clock = testClock()

function open(
  server: PictureServer,
  folder: string,
  addresses: string[],
  { maxBytes = 1_000_000, maxAddresses = 2_000 } = {},
): ReturnType<typeof offerImagesOf> {
  const ctx = testContext({ clock })
  imageStoreOf.provide(ctx, new ImageStore(folder, maxBytes, maxAddresses, clock))
  fetchImageOf.provide(
    ctx,
    createFetchImage({ service: server.url, hosts: [], plainHttp: true }, () => false, {
      maxBytes: 100,
      timeoutMs: 10_000,
    }),
  )
  offersOf.provide(ctx, { pictures: () => new Set(addresses), onStored: () => undefined } as unknown as OffersService)
  const images = offerImagesOf(ctx)
  onTestFinished(() => images.close())
  return images
}

const shaIn = (path: string | null): string => path?.split('/').at(-1) ?? ''

test('a new cache of pictures is empty; a refresh requests each listed picture once and stores it', async () => {
  const server = await pictures()
  const url = `${server.url}/a.png`
  const images = open(server, temporaryFolder(), [url, `${server.url}/page`])
  expect(images.pathOf(url)).toBeNull()
  await images.refresh()
  const path = images.pathOf(url)
  expect(path).toMatch(/^\/api\/offer-images\/[0-9a-f]{64}$/)
  expect(await images.read(shaIn(path))).toEqual({ bytes: png('picture /a.png'), type: 'image/png' })
  expect(images.pathOf(`${server.url}/page`)).toBeNull()
  expect(images.pathOf(null)).toBeNull()
  await images.refresh()
  expect(server.asked.toSorted()).toEqual(['/a.png', '/page'])
})

test('after a restart the cached pictures are available without a request', async () => {
  const server = await pictures()
  const folder = temporaryFolder()
  const url = `${server.url}/a.png`
  const before = open(server, folder, [url])
  await before.refresh()
  const path = before.pathOf(url)
  await before.close()
  await server.close()
  const after = open(server, folder, [url])
  await after.refresh()
  expect(after.pathOf(url)).toBe(path)
  expect(await after.read(shaIn(path))).toMatchObject({ type: 'image/png' })
  expect(server.asked).toEqual(['/a.png'])
})

test('a refresh stops after a few requests to an unavailable picture server; the next refresh asks again', async () => {
  let isUnavailable = true
  const server = await servePictures((request, response) => {
    if (isUnavailable) response.writeHead(503).end()
    else response.end(png(request.url ?? ''))
  })
  const addresses = Array.from({ length: 20 }, (_, index) => `${server.url}/${index}.png`)
  const images = open(server, temporaryFolder(), addresses)
  await images.refresh()
  expect(server.asked.length).toBeLessThanOrEqual(5)
  isUnavailable = false
  await images.refresh()
  expect(addresses.every((address) => images.pathOf(address) !== null)).toBe(true)
})

test('a picture deleted from the disk is missing until the next refresh of the cache', async () => {
  const server = await pictures()
  const folder = join(temporaryFolder(), 'cache', 'offer-images')
  const [a, b] = [`${server.url}/a.png`, `${server.url}/b.png`]
  const images = open(server, folder, [a, b])
  await images.refresh()
  const sha = shaIn(images.pathOf(a))
  rmSync(join(folder, sha))
  expect(await images.read(sha)).toBeNull()
  expect(images.pathOf(a)).toBeNull()
  rmSync(folder, { recursive: true })
  await images.refresh()
  expect([a, b].map((url) => images.pathOf(url) !== null)).toEqual([true, true])
  expect(server.asked).toHaveLength(4)
})

test('a cached picture whose file was modified is not served, and its file is deleted', async () => {
  const server = await pictures()
  const folder = temporaryFolder()
  const url = `${server.url}/a.png`
  const images = open(server, folder, [url])
  await images.refresh()
  const sha = shaIn(images.pathOf(url))
  writeFileSync(join(folder, sha), png('another'))
  expect(await images.read(sha)).toBeNull()
  expect([images.pathOf(url), existsSync(join(folder, sha))]).toEqual([null, false])
  expect(await images.read('index.json')).toBeNull()
})

test('the cache of pictures keeps its size limit: it removes only unlisted pictures', async () => {
  const server = await pictures()
  const folder = temporaryFolder()
  const size = png('picture /a.png').byteLength
  const addresses = [`${server.url}/a.png`, `${server.url}/b.png`]
  const images = open(server, folder, addresses, { maxBytes: 2 * size })
  await images.refresh()
  clock.advance(60_000)
  addresses.splice(0, 1, `${server.url}/c.png`)
  await images.refresh()
  const isCached = ['a', 'b', 'c', 'd'].map((name) => images.pathOf(`${server.url}/${name}.png`) !== null)
  expect(isCached).toEqual([false, true, true, false])
  addresses.push(`${server.url}/d.png`)
  await images.refresh()
  expect(images.pathOf(`${server.url}/d.png`)).toBeNull()
  expect(images.pathOf(`${server.url}/b.png`)).not.toBeNull()
  expect(readdirSync(folder).filter((name) => name !== 'index.json')).toHaveLength(2)
})

test('equal pictures are stored once; a broken index is replaced, and an unrelated file removed', async () => {
  const server = await servePictures((_request, response) => {
    response.end(png('the same'))
  })
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'index.json'), '{"entries": [{"url"')
  writeFileSync(join(folder, 'left.part'), 'half a picture')
  const [a, b] = [`${server.url}/a.png`, `${server.url}/b.png`]
  const images = open(server, folder, [a, b])
  await images.refresh()
  expect(images.pathOf(a)).toBe(images.pathOf(b))
  expect(readdirSync(folder).toSorted()).toEqual([shaIn(images.pathOf(a)), 'index.json'].toSorted())
  expect(JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))).toMatchObject({
    entries: [{ url: a }, { url: b }],
  })
})

test('the cache of pictures keeps its limit of addresses when each new list renames the same picture', async () => {
  const server = await servePictures((_request, response) => {
    response.end(png('the same'))
  })
  const folder = temporaryFolder()
  const addresses: string[] = []
  const images = open(server, folder, addresses, { maxAddresses: 60 })
  for (let day = 0; day < 4; day += 1) {
    clock.advance(86_400_000)
    const ofDay = Array.from({ length: 30 }, (_, index) => `${server.url}/${index}.png?day=${day}`)
    addresses.splice(0, addresses.length, ...ofDay)
    await images.refresh()
    expect(addresses.every((address) => images.pathOf(address) !== null)).toBe(true)
  }
  const { entries } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { entries: unknown[] }
  expect(entries.length).toBeLessThanOrEqual(60)
})
