import { z } from 'zod'
import type { Routes } from '../../http/app.ts'
import { ProblemError } from '../../http/problem.ts'
import type { OfferImages } from './service.ts'

const bySha = z.object({ sha: z.string().regex(/^[0-9a-f]{64}$/) })

/** The pictures of offers that this lane keeps, for its own screens. */
export const offerImagesRoutes =
  (images: Pick<OfferImages, 'read'>): Routes =>
  (app) => {
    app.get(
      '/api/offer-images/:sha',
      {
        schema: {
          summary: 'A picture of an offer, by its content; never fetched for this',
          params: bySha,
          produces: ['image/png', 'image/jpeg', 'image/webp'],
        },
        // An image element cannot send the session header. A picture has no personal data; its name is its SHA-256.
        config: { access: 'public', byItself: true },
      },
      async (request, reply) => {
        const image = await images.read(request.params.sha)
        if (!image) throw new ProblemError('not-found')
        // Another picture has another name: a screen never asks for this one twice.
        return reply.type(image.type).header('cache-control', 'private, max-age=31536000, immutable').send(image.bytes)
      },
    )
  }
