import { decode } from 'fast-png'
import { expect, test } from 'vitest'
import { makeOffers } from '../seed/offers.ts'
import { drawPicture, pictureAddress } from './pictures.ts'

test('offers of the training store show what they are of, in a small picture', () => {
  const offers = makeOffers(7, Date.parse('2026-11-20T15:00:00Z'))
  const drawn = offers.filter(({ partnerSlug }) => partnerSlug === 'northstar')
  const addresses = new Set(drawn.map((offer) => pictureAddress(offer, 'http://127.0.0.1:4180')))
  expect(addresses.size).toBeGreaterThan(3)
  for (const address of addresses) {
    const picture = drawPicture(new URL(address).pathname.split('/').at(-1) ?? '')
    if (!picture) throw new Error(`nothing is drawn for ${address}`)
    expect(picture.byteLength).toBeLessThan(8_192)
    expect(decode(picture)).toMatchObject({ width: 192, height: 144, channels: 3 })
  }
  const coffee = drawn.find(({ copy }) => copy['en-US'].qualifierShort.includes('coffee'))
  expect(coffee && pictureAddress(coffee, '')).toBe('/offer-images/cup.png')
})

test('other partners have addresses of nobody, and there is no other file', () => {
  const [other] = makeOffers(7, 0).filter(({ partnerSlug }) => partnerSlug !== 'northstar')
  expect(other && new URL(pictureAddress(other, 'http://127.0.0.1')).hostname).toBe('images.miles.example')
  for (const name of ['constructor.png', 'cup', 'cup.jpg', '../cup.png', '']) expect(drawPicture(name)).toBeNull()
})
